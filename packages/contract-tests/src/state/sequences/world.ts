import type { Operation } from '../../document/operations.ts';
import type { Answer, Draft, Exchange } from '../../requests/draft.ts';
import type { Probe } from '../../requests/probe.ts';
import type { ValidRequest } from '../../requests/valid.ts';
import type { Session } from '../../session.ts';
import { textOf } from '../../values/json.ts';
import { idNamesOf } from '../identity.ts';
import { type Thing, validProbeOf, type Whereabouts, withoutOptions } from '../making.ts';
import type { Listing, Pages } from '../reading/pages.ts';
import type { Replies } from '../reading/replies.ts';
import type { Sameness } from '../reading/sameness.ts';
import type { createScopeOf } from '../reading/scope.ts';
import type { Resource } from '../resources.ts';
import { Broken, NoClaim } from './broken.ts';
import { createClaims, isMarked } from './claims.ts';
import { type Fact, replaceFacts } from './facts.ts';

/** A thing that a sequence made, and what must be true of it. */
export interface Known {
  readonly thing: Thing;
  /** The status of the create. */
  readonly status: number;
  facts: Fact[];
  isGone: boolean;
  /** The promise that the next look at it is about. */
  since: string;
}

/** What a sequence needs. */
export interface WorldOptions {
  readonly session: Session;
  readonly resource: Resource;
  readonly replies: Replies;
  readonly pages: Pages;
  readonly sameness: Sameness;
  readonly scopeOf: ReturnType<typeof createScopeOf>;
  /** A valid request of each operation that needs no data. */
  readonly plain: ReadonlyMap<Operation, ValidRequest>;
  /** Where the collection is. */
  readonly within: Whereabouts;
  /** Called with each list that was asked for; `undefined` if the replies did not show it. */
  readonly onList: (listing: Listing | undefined) => void;
}

/** Whether a status is a success after which the request has been done. */
export const isDone = (status: number): boolean => status >= 200 && status < 300 && status !== 202;

/** Starts a sequence: nothing is known yet. */
export const createWorld = (options: WorldOptions) => {
  const { session, resource, replies, pages, sameness, scopeOf, plain, within, onList } = options;
  const { things } = session;
  const idNames = idNamesOf(resource);
  const { factOf, checkFacts, filledIn, checkId, checkSentId } = createClaims(sameness, idNames);
  const known: Known[] = [];
  const made: Known[] = [];
  const exchanges: Exchange[] = [...within.before];

  /** Sends a request; a failure of the service breaks the promise. */
  const ask = async (draft: Draft, claim: string, refusal?: Probe['refusal']): Promise<Answer> => {
    const { answer } = await session.send({ ...validProbeOf(draft), refusal });
    exchanges.push({ draft, answer });
    if (!answer) throw new NoClaim('no answer came');
    if (answer.headers['x-stub'] !== undefined) throw new NoClaim('a stub answered');
    if (answer.status === 429) throw new NoClaim('the service answered 429');
    if (answer.status >= 500)
      throw new Broken(claim, `status ${answer.status}: the service failed`, draft.operation);
    return answer;
  };

  /** A request about a thing. */
  const about = (thing: Thing, operation: Operation, given = plain.get(operation)): Draft => {
    if (!given) throw new NoClaim('no request could be made');
    return things.addressTo(thing, operation, withoutOptions(given));
  };

  /** Makes a thing; `undefined` if the service made none, or none that can be told from the others. */
  const create = async (valid: ValidRequest): Promise<Known | undefined> => {
    const { exchange, thing } = await things.make(resource, valid, within);
    exchanges.push(exchange);
    const { answer } = exchange;
    if (!answer || answer.status >= 500 || answer.headers['x-stub'] !== undefined)
      throw new NoClaim('a create was not served');
    if (!thing) return undefined;
    const { identity } = thing;
    const operation = resource.create;
    const twin = known.find(
      (each) => !each.isGone && textOf(each.thing.identity.value) === textOf(identity.value),
    );
    if (twin && !identity.isClientMade)
      throw new Broken('two creates have two ids', `both have ${textOf(identity.value)}`, operation);
    const fact = factOf(valid.body);
    if (twin) {
      if (operation.method === 'PUT') twin.facts = fact ? replaceFacts(twin.facts, fact) : [];
      return undefined;
    }
    checkSentId(valid.body, thing, operation);
    const shown = replies.thingIn(resource, operation, answer, thing.sent);
    if (fact && shown) checkFacts([fact], shown, 'the reply to a create shows what was sent', operation);
    const more = fact && shown ? filledIn(shown, fact.value, fact.by) : [];
    const one: Known = {
      thing,
      status: answer.status,
      facts: fact ? [fact, ...more] : [],
      isGone: false,
      since: 'what was created is what is read',
    };
    known.push(one);
    made.push(one);
    return one;
  };

  /** Makes no more claims about a thing: a 202 says that it is, or will be, changed at some time (RFC 9110, section 15.3.3). */
  const forget = (one: Known): void => {
    known.splice(known.indexOf(one), 1);
  };

  /** Reads a thing, and holds the reply against what is known. */
  const look = async (one: Known, claim = one.since): Promise<void> => {
    const { read } = resource;
    if (!read) return;
    const answer = await ask(about(one.thing, read), claim);
    const { status } = answer;
    const shown = isDone(status) ? replies.thingIn(resource, read, answer, one.thing.sent) : undefined;
    if (one.isGone) {
      if (isDone(status) && !(shown && isMarked(shown)))
        throw new Broken('what was deleted is gone', `status ${status}`, read);
      return;
    }
    if (status === 404 || status === 410) {
      const isAnother = claim === one.since && known.some(({ isGone }) => isGone);
      throw new Broken(
        isAnother ? 'what was not deleted is still there' : claim,
        `status ${status}: it is not there`,
        read,
      );
    }
    if (!shown) return;
    checkId(one.thing, shown, read);
    checkFacts(one.facts, shown, claim, read);
  };

  const { list } = resource;
  const listed = list && plain.get(list);
  const scope = list && listed && scopeOf(list, withoutOptions(listed).parameters);

  /** Reads the list of the collection, in pages of this size if it can be chosen. */
  const listAll = async (claim: string, size?: bigint, at = within): Promise<Listing | undefined> => {
    // What a 202 has announced may appear or disappear at any time.
    if (!list || !listed || session.hasDeferred(resource)) return undefined;
    const draft = things.draftAt(at, list, withoutOptions(listed));
    const listing = await pages.readAll(
      draft,
      async (each) => {
        const answer = await ask(each, claim);
        const page = isDone(answer.status) ? replies.pageIn(resource, list, answer) : undefined;
        return { exchange: { draft: each, answer }, page };
      },
      size,
    );
    onList(listing);
    return listing;
  };

  return {
    ...options,
    ...{ known, made, exchanges, scope, idNames },
    ...{ ask, about, factOf, checkFacts, create, forget, look, listAll },
  };
};

/** A sequence of requests, and what is known of the things that it is about. */
export type World = ReturnType<typeof createWorld>;

/** A step of a sequence. */
export type Act = (world: World) => Promise<void>;
