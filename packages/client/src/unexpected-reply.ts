/**
 * Thrown for a reply that the contract does not declare: its status, its media type, or a body that cannot be parsed.
 *
 * @example
 * if (error instanceof UnexpectedReply) console.error(error.status, error.text);
 */
export class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply';
  readonly status: number;
  readonly headers: Headers;
  /** The body of the reply, as text. */
  readonly text: string;

  constructor(why: string, { status, headers }: Response, text: string, options?: ErrorOptions) {
    super(`the contract does not declare this reply: ${why}`, options);
    this.status = status;
    this.headers = headers;
    this.text = text;
  }
}
