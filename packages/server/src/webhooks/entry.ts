export { DeliveryFailed } from '../outbox/delivery-failed.ts';
export {
  createDelivery,
  type Deliver,
  type DeliveryOptions,
  type WebhookEvent,
  type WebhookPayload,
} from './deliver.ts';
export {
  createWebhooks,
  type WebhookBody,
  type WebhookMessage,
  type WebhookOptions,
  type WebhookOutbox,
  type Webhooks,
} from './webhooks.ts';
