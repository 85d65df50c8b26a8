import type { Operation } from '../document/operations.ts';
import type { Place } from '../document/place.ts';
import type { Bodies } from './bodies.ts';
import type { Draft } from './draft.ts';
import type { ValidRequest } from './valid.ts';

/** A request that is sent to see what comes of it. */
export interface Probe {
  /** What is wrong with it, if anything: `query.limit above 100`. */
  readonly name: string;
  /** The same for those that differ in nothing that matters. */
  readonly kind: string;
  readonly draft: Draft;
  /** The status that must refuse it; nothing where it is valid. */
  readonly refusal: 400 | 401 | 415 | undefined;
  /** What the refusal must be about: `query.limit`. */
  readonly named: string;
  /** The place of the contract that it breaks. */
  readonly at: () => Place;
}

/** The request itself. */
export const draftOf = (operation: Operation, valid: ValidRequest, { write }: Bodies): Draft => ({
  operation,
  parameters: valid.parameters,
  body: valid.body && write(valid.body.content, valid.body.value),
  credentials: valid.schemes.map((scheme) => ({ scheme })),
});
