import type fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { type Call, type Exchange, isStub, type Probe, type Reply, validProbeOf } from '../requests/call.ts';
import { type ValidRequest, withoutOptions } from '../requests/valid.ts';
import { idNamesOf } from '../resources/identity.ts';
import type { Address, Instance } from '../resources/instances.ts';
import type { Resource } from '../resources/resources.ts';
import type { Session } from '../session.ts';
import type { Json } from '../values/json.ts';
import { BrokenPromise, type Expectation, Inconclusive } from './expectations.ts';
import { type Listing, readList, scopeOf } from './list-reader.ts';
import { findInstance, findPage, type Page, type Shown } from './reply-reader.ts';

/** An instance that a sequence created, and its expected state. */
export interface Tracked {
  instance: Instance;
  readonly status: number;
  expected: Expectation[];
  isGone: boolean;
  /** The promise that the next read checks. */
  promise: string;
}

/** Numbers of lists requested, found in replies, and read to their end. */
export interface ListCounts {
  asked: number;
  read: number;
  whole: number;
}

interface ModelOptions {
  readonly session: Session;
  readonly resource: Resource;
  /** A valid request of each operation without data. */
  readonly plain: ReadonlyMap<Operation, ValidRequest>;
  readonly within: Address;
  readonly lists: ListCounts;
}

/** Whether a status reports a completed request. */
export const isDone = (status: number): boolean => status >= 200 && status < 300 && status !== 202;

/** Creates the model of a sequence: the expected state of the service after each request. */
export const createModel = (options: ModelOptions) => {
  const { session, resource, plain, within, lists } = options;
  const { contract, instances } = session;
  const { list } = resource;
  const exchanges: Exchange[] = [...within.before];

  /** Sends a request. A failure of the service breaks the promise. */
  const ask = async (call: Call, promise: string, refusal?: Probe['refusal']): Promise<Reply> => {
    const { reply } = await session.send({ ...validProbeOf(call), refusal });
    exchanges.push({ call, reply });
    if (!reply) throw new Inconclusive('no answer came');
    if (isStub(reply)) throw new Inconclusive('a stub answered');
    if (reply.status === 429) throw new Inconclusive('the service answered 429');
    if (reply.status >= 500)
      throw new BrokenPromise(promise, `status ${reply.status}: the service failed`, call.operation);
    return reply;
  };

  /** Requests a page of the list; returns undefined if the reply has no list. */
  const askPage = async (call: Call, promise: string): Promise<Page | undefined> => {
    const reply = await ask(call, promise);
    return isDone(reply.status) ? findPage(contract.reply, resource, call.operation, reply) : undefined;
  };

  const tracked: Tracked[] = [];
  /** All instances that were ever tracked. */
  const created: Tracked[] = [];
  return {
    ...options,
    ...{ contract, exchanges, ask, askPage, tracked, created },
    idNames: idNamesOf(resource),
    scope: list ? scopeOf(contract.request, list) : [],
    about: (instance: Instance, operation: Operation, given = plain.get(operation)): Call => {
      if (!given) throw new Inconclusive('no request could be made');
      return instances.addressTo(instance, operation, withoutOptions(given));
    },
    /** The instance in a reply, if the request was successful. */
    shownIn: (operation: Operation, reply: Reply, sent: Json | undefined): Shown | undefined =>
      isDone(reply.status) ? findInstance(contract.reply, resource, operation, reply, sent) : undefined,
    /** Drops an instance: after a 202 its state may change at any time (RFC 9110, section 15.3.3). */
    forget: (one: Tracked): void => void tracked.splice(tracked.indexOf(one), 1),
    /** Reads the list of the collection, in pages of `size` if that can be chosen. */
    listAll: async (promise: string, size?: bigint, at = within): Promise<Listing | undefined> => {
      const given = list && plain.get(list);
      // After a 202, things may appear or disappear at any time.
      if (!list || !given || session.hasDeferred(resource)) return undefined;
      const call = instances.callAt(at, list, given);
      const listing = await readList(contract.request, call, (each) => askPage(each, promise), size);
      lists.asked += 1;
      if (listing) lists.read += 1;
      if (listing?.isWhole) lists.whole += 1;
      return listing;
    },
  };
};

/** The expected state of a service during a sequence. */
export type Model = ReturnType<typeof createModel>;

/** A step of a sequence. */
export type Step = (model: Model) => Promise<void>;

/** Steps that need data. */
export const stepWith = <Data>(
  data: fc.Arbitrary<Data>,
  run: (model: Model, data: Data) => Promise<void>,
): fc.Arbitrary<Step> => data.map((each) => (model) => run(model, each));
