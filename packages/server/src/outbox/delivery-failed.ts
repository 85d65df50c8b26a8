/** Why an event was not delivered, and whether it is worth another try. */
export class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
  /** Whether no later attempt can succeed: the receiver is gone for good, or must not be sent to. */
  readonly isPermanent: boolean;
  /** How long the receiver asks to be left alone, in milliseconds. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    {
      isPermanent = false,
      retryAfter,
      cause,
    }: { isPermanent?: boolean; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.isPermanent = isPermanent;
    this.retryAfter = retryAfter;
  }
}
