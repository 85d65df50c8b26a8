import { messageOf } from '@trellis/openapi/internal/json';

/** An event to add. */
export interface NewEvent {
  /** Says who delivers it. */
  readonly topic: string;
  /** Events with the same key and receiver are delivered in order, whatever their topics; without a key, in any order. */
  readonly key?: string;
  /** The system that the event goes to, such as a host. Receivers share the deliveries at once fairly. */
  readonly receiver?: string;
  /** A value that JSON can hold. */
  readonly payload: unknown;
}

/** An event, as passed to its delivery. */
export interface OutboxEvent<Payload> {
  /** The same in every attempt, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly topic: string;
  /** The key that was added; a hash if it has more than 500 characters. */
  readonly key: string;
  readonly payload: Payload;
  readonly created: Date;
}

/** An attempt to deliver an event. */
export interface DeliveryContext {
  /** Aborted when the attempt has taken too long, or the service stops. */
  readonly signal: AbortSignal;
  /** 1 for the first. */
  readonly attempt: number;
}

/**
 * Delivers an event. If it rejects, the event is delivered again later. The parameter type of the function declares the
 * payload; nothing checks it.
 */
export type DeliverEvent = (event: OutboxEvent<never>, context: DeliveryContext) => Promise<unknown>;

/** An event that was given up. */
export interface DeadLetter {
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  /** The payload as JSON. */
  readonly payload: string;
  readonly created: Date;
  readonly died: Date;
  /** The error of the last attempt. */
  readonly reason: string;
}

/** No topic needs more. */
const LONGEST_TOPIC = 500;

/** U+0000 and lone surrogates: no database could give them back as they were. JSON escapes them. */
export const UNSTORABLE = /[\0\p{Cs}]/u;

/** Makes the JSON of a payload. Throws for what JSON cannot hold. */
export const toPayload = (payload: unknown): string => {
  const text: string | undefined = JSON.stringify(payload, (name, value: unknown) => {
    if (typeof value !== 'bigint') return value;
    throw new TypeError(`JSON has no bigint: make a text of "${name}" in the payload of the event`);
  });
  if (text === undefined) throw new TypeError('an event needs a payload; null will do');
  return text;
};

/** The reason of a failure for the store: at most 1,000 characters, without text that databases cannot keep. */
export const toReason = (error: unknown): string =>
  messageOf(error).slice(0, 1000).replaceAll(new RegExp(UNSTORABLE, 'gu'), '\ufffd');

/** Parses the JSON of a payload. */
export const fromPayload = <Payload>(text: string): Payload => JSON.parse(text);

/** Throws if a topic cannot be stored. */
export const checkTopic = (topic: string): string => {
  if (topic.length <= LONGEST_TOPIC && !UNSTORABLE.test(topic)) return topic;
  throw new TypeError(
    `the topic of an event must have at most ${LONGEST_TOPIC} characters, and no U+0000 or lone surrogate`,
  );
};
