import { allOperations } from '@trellis/openapi/internal/document';
import { ownMember } from '@trellis/openapi/internal/json';

/** How a handler receives request bodies. */
export interface BodySettings {
  /** Whether the handler reads the body while it arrives. */
  readonly streams?: boolean;
  /** How large the body may be, in bytes. */
  readonly maxBodyBytes?: number;
}

const KEYWORD = 'x-max-body-bytes';

/** The settings of a handler; a plain function has none. */
export const bodySettingsOf = (handler: unknown): BodySettings => {
  const maxBodyBytes = ownMember(handler, 'maxBodyBytes');
  return {
    streams: ownMember(handler, 'streams') === true,
    ...(typeof maxBodyBytes === 'number' && { maxBodyBytes }),
  };
};

/** Maximum size of an operation's request body: set by the handler, else by the contract, else the default. */
export const bodyLimitOf = (
  operation: unknown,
  { maxBodyBytes }: BodySettings,
  otherwise: number,
): number => {
  const limit = maxBodyBytes ?? ownMember(operation, KEYWORD) ?? otherwise;
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0) return limit;
  const id = String(ownMember(operation, 'operationId'));
  throw new Error(`openapi.yaml: ${KEYWORD} of ${id} is ${limit}; write a whole number of bytes`);
};

/** How large the largest body is that is kept in memory as a whole. */
export const largestWholeBody = (document: unknown, handlers: object, maxBodyBytes: number): number =>
  allOperations(document).reduce((largest, { id, operation }) => {
    const settings = bodySettingsOf(ownMember(handlers, id));
    return settings.streams ? largest : Math.max(largest, bodyLimitOf(operation, settings, maxBodyBytes));
  }, maxBodyBytes);
