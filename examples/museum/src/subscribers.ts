import { createDelivery } from '@trellis/outbox';

const { SUBSCRIBERS: urls = '', WEBHOOK_SECRET, WEBHOOK_NETWORKS = '' } = process.env;

const listOf = (text: string): string[] => text.split(',').filter(Boolean);

/** Subscribers to new events: URLs, separated by commas. */
export const SUBSCRIBERS = listOf(urls);

/** Delivers webhooks, signed with WEBHOOK_SECRET, into private networks only where WEBHOOK_NETWORKS allows it. */
export const deliver = createDelivery({
  secrets: SUBSCRIBERS.length > 0 ? [WEBHOOK_SECRET ?? ''] : [],
  allow: listOf(WEBHOOK_NETWORKS),
});
