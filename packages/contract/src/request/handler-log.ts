/** Writes a line into the log: a message, or details and a message; an error counts as the detail `err`. */
type WriteLine = (details: object | string, message?: string) => void;

/** The log of the service for one request: every line has the request id. `LOG_LEVEL` sets the lowest level written. */
export interface HandlerLog {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
}
