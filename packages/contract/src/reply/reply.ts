import { ownMember } from '@trellis/openapi/internal/json';

/** The reply of a handler, for any operation. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The key that responses have for a status: itself, else its range, else the default (OAS 3.1, section 4.8.16). */
export const keyFor = (responses: unknown, status: number): string | undefined =>
  [`${status}`, `${Math.floor(status / 100)}XX`, 'default'].find(
    (key) => ownMember(responses, key) !== undefined,
  );
