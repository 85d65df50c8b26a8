import fc from 'fast-check';
import type { Operation } from '../../document/operations.ts';
import { type Call, type Exchange, isStub, type Reply } from '../../requests/call.ts';
import { type Probe, validProbeOf } from '../../requests/probe.ts';
import { type ValidRequest, withoutOptions } from '../../requests/valid.ts';
import { idNamesOf } from '../../resources/identity.ts';
import type { Address, Instance } from '../../resources/lifecycle.ts';
import type { Resource } from '../../resources/resources.ts';
import type { Session } from '../../session.ts';
import { textOf } from '../../values/json.ts';
import { createListReader, type Listing } from '../list-reader.ts';
import { scopeOf } from '../list-scope.ts';
import { createReplyReader, type Page } from '../reply-reader.ts';
import {
  afterReplace,
  BrokenPromise,
  createExpectations,
  type Expectation,
  Inconclusive,
  isMarkedDeleted,
} from './expectations.ts';

/** An instance that a sequence created, and its expected state. */
export interface Tracked {
  readonly instance: Instance;
  /** The status of the reply to its create. */
  readonly status: number;
  expected: Expectation[];
  isGone: boolean;
  /** The promise that the next read checks. */
  promise: string;
}

/** The dependencies of a model. */
interface ModelOptions {
  readonly session: Session;
  readonly resource: Resource;
  /** A valid request of each operation without data. */
  readonly plain: ReadonlyMap<Operation, ValidRequest>;
  /** The address of the collection. */
  readonly within: Address;
  /** Called after each list request, with undefined if the replies had no list. */
  readonly onList: (listing: Listing | undefined) => void;
}

/** Whether a status reports a completed request. */
export const isDone = (status: number): boolean => status >= 200 && status < 300 && status !== 202;

/** Whether a POST returned an existing thing: it declares 201 for new ones (RFC 9110, section 9.3.3). */
const hasFound = ({ method, replies }: Operation, status: number): boolean =>
  method === 'POST' && status !== 201 && replies.has('201');

/** Creates the model of a sequence: the expected state of the service after each request. */
export const createModel = (options: ModelOptions) => {
  const { session, resource, plain, within } = options;
  const { contract, instances } = session;
  const idNames = idNamesOf(resource);
  const replies = createReplyReader(contract.reply);
  const lists = createListReader(contract.request);
  const expectations = createExpectations(contract, idNames);
  const { expectationOf, check } = expectations;
  const tracked: Tracked[] = [];
  const created: Tracked[] = [];
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

  /** Creates a request about an instance. */
  const about = (instance: Instance, operation: Operation, given = plain.get(operation)): Call => {
    if (!given) throw new Inconclusive('no request could be made');
    return instances.addressTo(instance, operation, withoutOptions(given));
  };

  /** Creates an instance; returns undefined if the service created none that can be identified. */
  const create = async (valid: ValidRequest): Promise<Tracked | undefined> => {
    const { exchange, instance } = await instances.create(resource, valid, within);
    exchanges.push(exchange);
    const { reply } = exchange;
    if (!reply || reply.status >= 500 || isStub(reply)) throw new Inconclusive('a create was not served');
    const operation = resource.create;
    if (!instance || hasFound(operation, reply.status)) return undefined;
    const id = textOf(instance.identity.value);
    const twin = tracked.find((each) => !each.isGone && textOf(each.instance.identity.value) === id);
    if (twin && !instance.identity.isClientMade)
      throw new BrokenPromise('two creates return different ids', `both return ${id}`, operation);
    const sent = expectationOf(valid.body);
    if (twin) {
      if (operation.method === 'PUT') twin.expected = sent ? afterReplace(twin.expected, sent) : [];
      return undefined;
    }
    expectations.checkSentId(valid.body, instance, operation);
    const shown = replies.instanceIn(resource, operation, reply, instance.sent);
    if (sent && shown) check([sent], shown, 'the reply to a create shows the data sent', operation);
    const one: Tracked = {
      instance,
      status: reply.status,
      expected: [...(sent ? [sent] : []), ...(sent && shown ? [expectations.filledIn(shown, sent)] : [])],
      isGone: false,
      promise: 'a created thing is read back unchanged',
    };
    tracked.push(one);
    created.push(one);
    return one;
  };

  /** Drops an instance: after a 202 its state may change at any time (RFC 9110, section 15.3.3). */
  const forget = (one: Tracked): void => {
    tracked.splice(tracked.indexOf(one), 1);
  };

  /** Reads an instance and compares it with the expectations. */
  const look = async (one: Tracked, promise = one.promise): Promise<void> => {
    const { read } = resource;
    if (!read) return;
    const reply = await ask(about(one.instance, read), promise);
    const { status } = reply;
    const shown = isDone(status) ? replies.instanceIn(resource, read, reply, one.instance.sent) : undefined;
    if (one.isGone) {
      if (isDone(status) && !(shown && isMarkedDeleted(shown)))
        throw new BrokenPromise('a deleted thing cannot be read', `status ${status}`, read);
      return;
    }
    if (status === 404 || status === 410) {
      const isAnother = promise === one.promise && tracked.some(({ isGone }) => isGone);
      const broken = isAnother ? 'a delete leaves other things alone' : promise;
      throw new BrokenPromise(broken, `status ${status}: it does not exist`, read);
    }
    if (!shown) return;
    expectations.checkId(one.instance, shown, read);
    check(one.expected, shown, promise, read);
  };

  const { list } = resource;
  const listed = list && plain.get(list);
  const scope = list ? scopeOf(contract.request, list, lists.isPaging) : [];

  /** Requests a page of the list; returns undefined if the reply has no list. */
  const askPage = async (call: Call, promise: string): Promise<Page | undefined> => {
    const reply = await ask(call, promise);
    return isDone(reply.status) ? replies.pageIn(resource, call.operation, reply) : undefined;
  };

  /** Reads the list of the collection, in pages of `size` if that can be chosen. */
  const listAll = async (promise: string, size?: bigint, at = within): Promise<Listing | undefined> => {
    // After a 202, things may appear or disappear at any time.
    if (!list || !listed || session.hasDeferred(resource)) return undefined;
    const call = instances.callAt(at, list, listed);
    const listing = await lists.readAll(call, (each) => askPage(each, promise), size);
    options.onList(listing);
    return listing;
  };

  return {
    ...options,
    ...{ replies, lists, tracked, created, exchanges, scope, idNames },
    ...{ ask, askPage, about, expectationOf, check, create, forget, look, listAll },
  };
};

/** The expected state of a service during a sequence. */
export type Model = ReturnType<typeof createModel>;

/** A step of a sequence. */
export type Step = (model: Model) => Promise<void>;

/** A step that needs no data. */
export const stepWithout = (step: Step): fc.Arbitrary<Step> => fc.constant(step);

/** Steps that need data. */
export const stepWith = <Data>(
  data: fc.Arbitrary<Data>,
  run: (model: Model, data: Data) => Promise<void>,
): fc.Arbitrary<Step> => data.map((each) => (model) => run(model, each));
