// Generated from openapi.yaml by `npm run generate`. Do not edit: handlers are written in src/handlers.

import type { Handlers } from '../generated/handler.ts';
import { createPlant } from './handlers/create-plant.ts';

type NeedsOf<Make> = Make extends (needs: infer Needs) => unknown ? Needs : never;

/** Everything that any of the handlers needs. */
export type Needs = NeedsOf<typeof createPlant>;

/** Makes a handler for every operation of the contract. */
export const createHandlers = (needs: Needs): Handlers => ({
  createPlant: createPlant(needs),
});
