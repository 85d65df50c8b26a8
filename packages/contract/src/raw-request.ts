/**
 * The request of the server that received it. `@trellis/server` declares that it is a request of Express; an adapter of
 * yours declares its own:
 *
 * @example
 * declare module '@trellis/contract/internal/raw-request' {
 *   interface RawRequest extends Request {}
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: servers add members
export interface RawRequest {}
