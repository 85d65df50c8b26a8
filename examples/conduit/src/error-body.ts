import type { Refusal } from '@trellis/server';
import type { components } from '../generated/openapi.ts';

/** The body of error replies: a line for each violation. */
export const errorBody = ({ message, violations }: Refusal): components['schemas']['Refusal'] => ({
  errors: {
    body: violations.length > 0 ? violations.map((each) => `${each.place} ${each.message}`) : [message],
  },
});
