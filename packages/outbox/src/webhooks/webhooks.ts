import { fileURLToPath } from 'node:url';
import { loadDocument } from '@trellis/openapi';
import { once } from '@trellis/openapi/internal/json';
import type { Replied } from '@trellis/openapi/internal/types';
import type { WebhookPayload } from './deliver.ts';
import { createWriters } from './writers.ts';

/** The methods that the types of a path item name. */
type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';

type ContentOf<Body> = Body extends { content: infer Content } ? Replied<Content[keyof Content]> : undefined;

type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? ContentOf<Body>
  : Operation extends { requestBody?: infer Body }
    ? ContentOf<NonNullable<Body>> | undefined
    : undefined;

/** The body of a webhook or callback, before it is encoded. */
export type WebhookBody<Declared, Name extends keyof Declared> = BodyOf<
  Exclude<Declared[Name][Method & keyof Declared[Name]], undefined>
>;

/** A webhook or callback that is to be sent. */
export type WebhookMessage<Body> = {
  /** The URL that the receiver has registered, or for a callback the URL in its request. */
  readonly url: string | URL;
  /** Events with the same key arrive in order at a receiver. */
  readonly key?: string;
} & (undefined extends Body ? { readonly body?: Body } : { readonly body: Body });

/** An outbox that stores events in the transaction of the change that they report, and delivers them afterwards. */
export interface WebhookOutbox<Transaction> {
  readonly add: (
    transaction: Transaction,
    event: {
      readonly topic: string;
      readonly key?: string;
      /** The host of the URL. Hosts share the deliveries at once fairly. */
      readonly receiver: string;
      readonly payload: WebhookPayload;
    },
  ) => Promise<unknown>;
}

/** Options for sending webhooks. */
export interface WebhookOptions<Transaction> {
  /** The file of the contract. */
  readonly contract: URL | string;
  readonly outbox: WebhookOutbox<Transaction>;
  /** The topic of the outbox whose events `createDelivery` delivers: `webhooks` if not given. */
  readonly topic?: string;
  /** Whether bodies go unchecked; decided by NODE_ENV if not given. */
  readonly production?: boolean;
}

/** Sends the webhooks and callbacks of a contract. */
export interface Webhooks<Declared, Transaction> {
  /**
   * Puts a webhook into the outbox, by its name, or a callback by `operationId.callback`. It is sent once the transaction
   * is committed, and not at all if it is rolled back. A wrong name or body does not compile.
   */
  send<Name extends keyof Declared & string>(
    transaction: Transaction,
    name: Name,
    message: WebhookMessage<WebhookBody<Declared, Name>>,
  ): Promise<void>;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/**
 * Makes what sends the webhooks and callbacks of a contract; `Declared` is `webhooks` of generated/openapi.ts.
 *
 * @example
 * const webhooks: Webhooks<Transaction<Tables>> = createWebhooks({ contract, outbox }); // types of generated/handler.ts
 */
export const createWebhooks = <Declared, Transaction>({
  contract,
  outbox,
  topic = 'webhooks',
  production = process.env.NODE_ENV === 'production',
}: WebhookOptions<Transaction>): Webhooks<Declared, Transaction> => {
  const file = contract instanceof URL ? fileURLToPath(contract) : contract;
  const loaded = once(async () => createWriters(await loadDocument(file), !production));
  return {
    send: async (transaction, name, { url, key, body }) => {
      const write = await loaded();
      const payload = { name, url: String(url), ...write(name, body) };
      await outbox.add(transaction, {
        topic,
        ...(key !== undefined && { key }),
        receiver: hostOf(payload.url),
        payload,
      });
    },
  };
};
