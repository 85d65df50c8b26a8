/** A reply that the contract does not declare: a status, a media type, or a body that cannot be read. */
export class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply';
  readonly status: number;
  readonly headers: Headers;
  /** What the service sent, as text. */
  readonly text: string;

  constructor(why: string, { status, headers }: Response, text: string, options?: ErrorOptions) {
    super(`the contract does not declare this reply: ${why}`, options);
    this.status = status;
    this.headers = headers;
    this.text = text;
  }
}
