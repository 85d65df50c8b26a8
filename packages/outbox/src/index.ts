export { DeliveryFailed } from './outbox/delivery-failed.ts';
export type { DeadLetter, DeliverEvent, DeliveryContext, NewEvent, OutboxEvent } from './outbox/event.ts';
export type { DispatchLimits } from './outbox/limits.ts';
export { createOutbox, type Outbox, type OutboxOptions } from './outbox/outbox.ts';
export { OUTBOX_MIGRATION, type OutboxTables } from './outbox/schema.ts';
export {
  createDelivery,
  type Deliver,
  type DeliveryOptions,
  type WebhookEvent,
  type WebhookPayload,
} from './webhooks/deliver.ts';
export {
  createWebhooks,
  type WebhookBody,
  type WebhookMessage,
  type WebhookOptions,
  type WebhookOutbox,
  type Webhooks,
} from './webhooks/webhooks.ts';
