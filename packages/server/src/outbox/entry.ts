export { DeliveryFailed } from './delivery-failed.ts';
export type { DeadLetter, DeliverEvent, DeliveryContext, NewEvent, OutboxEvent } from './event.ts';
export type { DispatchLimits } from './limits.ts';
export { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts';
export { OUTBOX_MIGRATION, type OutboxTables } from './schema.ts';
