/** Why an event was not delivered, and whether it is worth another try. */
export class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
  /** Whether no later attempt can succeed: the receiver is gone for good, or must not be sent to. */
  readonly isPermanent: boolean;
  /** How long the receiver asks to be left alone, in milliseconds. */
  readonly retryAfter: number | undefined;
  /** Whether the receiver has answered, so that its other events are tried without a pause. */
  readonly isAnswered: boolean;

  constructor(
    message: string,
    {
      isPermanent = false,
      retryAfter,
      isAnswered = false,
      cause,
    }: {
      isPermanent?: boolean;
      retryAfter?: number | undefined;
      isAnswered?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.isPermanent = isPermanent;
    this.retryAfter = retryAfter;
    this.isAnswered = isAnswered;
  }
}
