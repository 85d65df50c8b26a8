import type { Refusal } from '@trellis/server';
import type { components } from '../generated/openapi.ts';

/** The body of every error reply: the `Error` of the contract. See docs/reference/errors.md. */
export const errorBody = ({ code, message }: Refusal): components['schemas']['Error'] => ({
  error: code,
  message,
});
