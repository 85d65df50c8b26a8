/** Follows a request through the contract. A request that is not traced has no `RequestTrace`. */
export interface RequestTrace {
  /** Names this request as the parent of others, in the format of the header (W3C Trace Context, section 3.2). */
  readonly traceparent: string;
  /** Called once the operation is known, with its path template. */
  readonly matched: (route: string) => void;
  /** Runs the handler. All work that it starts, now or later, belongs to this request. */
  readonly handle: <T>(work: () => T) => T;
}
