import fc from 'fast-check';
import type { Operation } from '../../document/operations.ts';
import { type Draft, type Exchange, isStub, type Reply } from '../../requests/draft.ts';
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

/** An instance that a sequence created, and what must be true of it. */
export interface Tracked {
  readonly instance: Instance;
  /** The status of the create. */
  readonly status: number;
  expected: Expectation[];
  isGone: boolean;
  /** The promise that the next look at it is about. */
  promise: string;
}

/** What a sequence needs. */
interface ModelOptions {
  readonly session: Session;
  readonly resource: Resource;
  /** A valid request of each operation that needs no data. */
  readonly plain: ReadonlyMap<Operation, ValidRequest>;
  /** Where the collection is. */
  readonly within: Address;
  /** Called with each list that was asked for; `undefined` if the replies did not show it. */
  readonly onList: (listing: Listing | undefined) => void;
}

/** Whether a status is a success after which the request has been done. */
export const isDone = (status: number): boolean => status >= 200 && status < 300 && status !== 202;

/** Whether a POST has found something instead of creating it: it says 201 when it creates (RFC 9110, section 9.3.3). */
const hasFound = ({ method, replies }: Operation, status: number): boolean =>
  method === 'POST' && status !== 201 && replies.has('201');

/** Starts the model of a sequence: what the service must keep after each of its requests. Nothing is known yet. */
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

  /** Sends a request; a failure of the service breaks the promise. */
  const ask = async (draft: Draft, promise: string, refusal?: Probe['refusal']): Promise<Reply> => {
    const { reply } = await session.send({ ...validProbeOf(draft), refusal });
    exchanges.push({ draft, reply });
    if (!reply) throw new Inconclusive('no answer came');
    if (isStub(reply)) throw new Inconclusive('a stub answered');
    if (reply.status === 429) throw new Inconclusive('the service answered 429');
    if (reply.status >= 500)
      throw new BrokenPromise(promise, `status ${reply.status}: the service failed`, draft.operation);
    return reply;
  };

  /** A request about an instance. */
  const about = (instance: Instance, operation: Operation, given = plain.get(operation)): Draft => {
    if (!given) throw new Inconclusive('no request could be made');
    return instances.addressTo(instance, operation, withoutOptions(given));
  };

  /** Creates an instance; `undefined` if the service made none, or none that can be told from the others. */
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
      throw new BrokenPromise('two creates have two ids', `both have ${id}`, operation);
    const sent = expectationOf(valid.body);
    if (twin) {
      if (operation.method === 'PUT') twin.expected = sent ? afterReplace(twin.expected, sent) : [];
      return undefined;
    }
    expectations.checkSentId(valid.body, instance, operation);
    const shown = replies.instanceIn(resource, operation, reply, instance.sent);
    if (sent && shown) check([sent], shown, 'the reply to a create shows what was sent', operation);
    const one: Tracked = {
      instance,
      status: reply.status,
      expected: [...(sent ? [sent] : []), ...(sent && shown ? [expectations.filledIn(shown, sent)] : [])],
      isGone: false,
      promise: 'what was created is what is read',
    };
    tracked.push(one);
    created.push(one);
    return one;
  };

  /** Expects nothing more of an instance: a 202 says that it is, or will be, changed at some time (RFC 9110, section 15.3.3). */
  const forget = (one: Tracked): void => {
    tracked.splice(tracked.indexOf(one), 1);
  };

  /** Reads an instance, and holds the reply against what is expected. */
  const look = async (one: Tracked, promise = one.promise): Promise<void> => {
    const { read } = resource;
    if (!read) return;
    const reply = await ask(about(one.instance, read), promise);
    const { status } = reply;
    const shown = isDone(status) ? replies.instanceIn(resource, read, reply, one.instance.sent) : undefined;
    if (one.isGone) {
      if (isDone(status) && !(shown && isMarkedDeleted(shown)))
        throw new BrokenPromise('what was deleted is gone', `status ${status}`, read);
      return;
    }
    if (status === 404 || status === 410) {
      const isAnother = promise === one.promise && tracked.some(({ isGone }) => isGone);
      const broken = isAnother ? 'what was not deleted is still there' : promise;
      throw new BrokenPromise(broken, `status ${status}: it is not there`, read);
    }
    if (!shown) return;
    expectations.checkId(one.instance, shown, read);
    check(one.expected, shown, promise, read);
  };

  const { list } = resource;
  const listed = list && plain.get(list);
  const scope = list ? scopeOf(contract.request, list, lists.isPaging) : [];

  /** Asks for one page of the list; `undefined` if the reply does not show it. */
  const askPage = async (draft: Draft, promise: string): Promise<Page | undefined> => {
    const reply = await ask(draft, promise);
    return isDone(reply.status) ? replies.pageIn(resource, draft.operation, reply) : undefined;
  };

  /** Reads the list of the collection, in pages of this size if it can be chosen. */
  const listAll = async (promise: string, size?: bigint, at = within): Promise<Listing | undefined> => {
    // What a 202 has announced may appear or disappear at any time.
    if (!list || !listed || session.hasDeferred(resource)) return undefined;
    const draft = instances.draftAt(at, list, listed);
    const listing = await lists.readAll(draft, (each) => askPage(each, promise), size);
    options.onList(listing);
    return listing;
  };

  return {
    ...options,
    ...{ replies, lists, tracked, created, exchanges, scope, idNames },
    ...{ ask, askPage, about, expectationOf, check, create, forget, look, listAll },
  };
};

/** What a service must keep, as far as a sequence of requests knows it. */
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
