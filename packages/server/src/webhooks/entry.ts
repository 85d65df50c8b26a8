export {
  createDelivery,
  type Deliver,
  type DeliveryOptions,
  type WebhookEvent,
  type WebhookPayload,
} from './deliver.ts';
export { DeliveryFailed } from './delivery-failed.ts';
export {
  createWebhooks,
  type WebhookBody,
  type WebhookMessage,
  type WebhookOptions,
  type WebhookOutbox,
  type Webhooks,
} from './webhooks.ts';
