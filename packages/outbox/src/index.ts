export { DeliveryFailed } from './outbox/delivery-failed.ts';
export type { DeadLetter, DeliverEvent, DeliveryContext, OutboxEvent } from './outbox/event.ts';

export { createOutbox, type Outbox, type OutboxOptions } from './outbox/outbox.ts';
export { OUTBOX_MIGRATION, type OutboxTables } from './outbox/schema.ts';
export { createDelivery, type Deliver, type DeliveryOptions, type WebhookEvent } from './webhooks/deliver.ts';
export { createWebhooks, type WebhookOutbox, type Webhooks } from './webhooks/webhooks.ts';
