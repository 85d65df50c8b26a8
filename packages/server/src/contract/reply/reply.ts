/** What every reply of a handler is made of, whatever the operation. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
