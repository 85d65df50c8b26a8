import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { messageOf } from '@trellis/openapi/internal/json';
import { DeliveryFailed } from '../outbox/delivery-failed.ts';
import { createAddressRule } from './addresses.ts';
import { readSecret, signatureHeaders } from './signature.ts';

/** A webhook or callback, ready to be sent: the payload of an event in an outbox. */
export interface WebhookPayload {
  /** Its name in the contract. */
  readonly name: string;
  readonly url: string;
  /** In upper case. */
  readonly method: string;
  /** `undefined` if there is no body. */
  readonly mediaType?: string | undefined;
  readonly body: string;
}

/** A webhook or callback in an outbox. */
export interface WebhookEvent {
  /** The same in every attempt, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly payload: WebhookPayload;
}

/** How webhooks are delivered. */
export interface DeliveryOptions {
  /**
   * The secrets of a receiver, `whsec_…`: one, or during a rotation the new one and the old one. None leaves it unsigned. A
   * list with an empty or malformed secret throws at once.
   */
  readonly secrets:
    | readonly string[]
    | ((payload: WebhookPayload) => readonly string[] | Promise<readonly string[]>);
  /** Networks that are not public, but may receive webhooks: `10.1.0.0/16`, `127.0.0.1`. None if not given. */
  readonly allow?: readonly string[];
  /** Whether `http:` will do; only outside production if not given. */
  readonly allowHttp?: boolean;
  /** How long an attempt may take, in milliseconds: 15,000 if not given. */
  readonly timeout?: number;
}

/** Delivers an event of an outbox in one attempt. Throws DeliveryFailed if the receiver has not taken it. */
export type Deliver = (event: WebhookEvent, options?: { readonly signal?: AbortSignal }) => Promise<void>;

/** Maximum number of bytes of a reply that are read, so that its connection ends cleanly. The bytes are discarded. */
const MOST_READ = 16_384;

/** RFC 9110, section 10.2.3: a number of seconds, or a date. */
const retryAfterOf = ({ headers }: IncomingMessage): number | undefined => {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
};

const discard = async (reply: IncomingMessage): Promise<void> => {
  let left = MOST_READ;
  try {
    for await (const chunk of reply) {
      left -= chunk.length;
      if (left < 0) return;
    }
  } catch {} // the status has said it all
};

/** Sends one request on a separate connection, to an address that the rule allows. Redirects are not followed. */
const post = (
  url: URL,
  { method, body }: WebhookPayload,
  headers: Readonly<Record<string, string | number>>,
  { lookup }: ReturnType<typeof createAddressRule>,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    request(url, { method, headers, lookup, signal, agent: false }, resolve).on('error', reject).end(body);
  });

/** Writes the headers. An error here, such as a malformed secret, is not a failure of the receiver. */
const headersOf = async (
  { id, payload }: WebhookEvent,
  secrets: DeliveryOptions['secrets'],
): Promise<Record<string, string | number>> => {
  const { mediaType, body } = payload;
  try {
    const known = typeof secrets === 'function' ? await secrets(payload) : secrets;
    return {
      ...(mediaType !== undefined && { 'content-type': mediaType }),
      'content-length': Buffer.byteLength(body),
      ...signatureHeaders({ id, timestamp: Math.floor(Date.now() / 1000), body }, known),
    };
  } catch (error) {
    throw new DeliveryFailed(messageOf(error), { isReceiverUp: true, cause: error });
  }
};

/**
 * Makes what delivers events: signed, within a limit of time, and never to an address that is not public unless allowed.
 *
 * @example
 * const outbox = createOutbox(data, { deliver: { webhooks: createDelivery({ secrets: [secret] }) } });
 */
export const createDelivery = ({
  secrets,
  allow = [],
  allowHttp = process.env.NODE_ENV !== 'production',
  timeout = 15_000,
}: DeliveryOptions): Deliver => {
  if (typeof secrets !== 'function') for (const secret of secrets) readSecret(secret);
  const rule = createAddressRule(allow);
  const refuse = (why: string): never => {
    throw new DeliveryFailed(why, { isPermanent: true });
  };

  const urlOf = (text: string): URL => {
    const url = URL.canParse(text) ? new URL(text) : refuse(`${JSON.stringify(text)} is not a URL`);
    const isHttp = url.protocol === 'http:';
    if (!isHttp && url.protocol !== 'https:') refuse(`${url.protocol} is not https:`);
    if (isHttp && !allowHttp)
      refuse('http: is not https:; set `allowHttp` if webhooks may be sent in the clear');
    rule.checkHost(url.hostname);
    return url;
  };

  return async ({ id, payload }, { signal } = {}) => {
    const url = urlOf(payload.url);
    const headers = await headersOf({ id, payload }, secrets);
    const limit = AbortSignal.timeout(timeout);
    const reply = await post(
      url,
      payload,
      headers,
      rule,
      signal ? AbortSignal.any([signal, limit]) : limit,
    ).catch((error: unknown) => {
      if (error instanceof DeliveryFailed) throw error;
      const why = limit.aborted ? `no reply within ${timeout} ms` : messageOf(error);
      throw new DeliveryFailed(`${url.host}: ${why}`, { cause: error });
    });
    await discard(reply);
    const { statusCode: status = 0 } = reply;
    if (status >= 200 && status < 300) return;
    throw new DeliveryFailed(`${url.host} answered ${status}`, {
      isPermanent: status === 410, // Gone: the receiver wants no more of them
      retryAfter: retryAfterOf(reply),
      isReceiverUp: true,
    });
  };
};
