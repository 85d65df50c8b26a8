/**
 * Why an event was not delivered, and whether it is worth another try.
 *
 * @example
 * throw new DeliveryFailed('the receiver answered 410', { isPermanent: true });
 */
export class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
  /** Whether no later attempt can succeed: the receiver is permanently gone, or must not be sent to. */
  readonly isPermanent: boolean;
  /** The pause that the receiver requests, in milliseconds. */
  readonly retryAfter: number | undefined;
  /** Whether the receiver has answered, or is not to blame: its other events are tried without a pause. */
  readonly isReceiverUp: boolean;

  constructor(
    message: string,
    {
      isPermanent = false,
      retryAfter,
      isReceiverUp = false,
      cause,
    }: {
      isPermanent?: boolean;
      retryAfter?: number | undefined;
      isReceiverUp?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.isPermanent = isPermanent;
    this.retryAfter = retryAfter;
    this.isReceiverUp = isReceiverUp;
  }
}
