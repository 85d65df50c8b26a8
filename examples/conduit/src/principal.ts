import type * as server from '@trellis/server';

/** The user whose token was sent. Handlers get it as `principal`, and the authenticator in tokens.ts gives it. */
export interface Principal extends server.Principal {
  readonly id: bigint;
}
