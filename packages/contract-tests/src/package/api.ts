// The public types of `contractTests`.
import type { Credentials } from '../exchange/credentials.ts';
import type { Selection } from '../selection.ts';
import type { ReceiverPlace } from '../webhooks/receiver.ts';

/** A request that was sent. */
export interface SentRequest {
  readonly operationId: string;
  /** The fault in it, or `valid request`: `query.limit above 100`. */
  readonly name: string;
  /** The expected status of an invalid request; `undefined` if it is valid. */
  readonly refusal: number | undefined;
  /** The place of the fault: `query.limit`. */
  readonly named: string;
}

/** The reply of the service. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/** `describe` of jest, vitest or node:test. */
export type Describe = (name: string, register: () => void) => unknown;

/** `test` of jest, vitest or node:test. */
export type Test = (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown;

/** A receiver of webhooks and callbacks. */
export interface WebhookReceiver extends ReceiverPlace {
  /** `whsec_…`: checks their signatures, as Standard Webhooks says. */
  readonly secret?: string | undefined;
}

/** The options of `contractTests`. */
export interface ContractTestOptions extends Credentials, Selection {
  /** The URL of the service. A function is called when the first test runs, after `beforeAll`. */
  readonly url?: string | Promise<string> | (() => string | Promise<string>) | undefined;
  /**
   * Instead of a URL: a program that serves the contract with `@trellis/server`. It is started with Node on a free port, with
   * its own token and store, and stopped after the last test.
   */
  readonly program?: string | undefined;
  /** Environment variables of that program, such as DATABASE_URL. By default it gets an empty SQLite file. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** The file of the contract; `openapi.yaml` by default. */
  readonly spec?: string | undefined;
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The receiver of webhooks and callbacks. The service has to send webhooks to its `/webhooks/NAME`. */
  readonly webhooks?: WebhookReceiver | undefined;
  /** Valid requests per operation: 100 by default. */
  readonly requests?: number | undefined;
  /** The same seed sends the same requests: 41 by default. */
  readonly seed?: number | undefined;
  /** How long one test may take: 5 minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** Checks promises of a service that its contract does not contain. Returns a message if the reply is wrong. */
  readonly alsoExpect?: ((sent: SentRequest, reply: Reply) => string | undefined) | undefined;
  /** The global `describe` and `test`, if not given. */
  readonly describe?: Describe | undefined;
  readonly test?: Test | undefined;
}

/** Registers a test for each phase and operation of a contract. Await it where tests are registered. */
export type ContractTests = (options: ContractTestOptions) => Promise<void>;
