import fc from 'fast-check';
import { repliesAt } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import type { Failure } from '../exchange/failure.ts';
import { Stopped } from '../exchange/transport.ts';
import { validProbeOf } from '../requests/probe.ts';
import type { Address } from '../resources/lifecycle.ts';
import { isSingle, type Resource } from '../resources/resources.ts';
import type { Findings } from '../run-check.ts';
import type { Session } from '../session.ts';
import { createShrinkBudget, shrink } from '../shrink.ts';
import type { Unchecked } from '../tally.ts';
import type { Listing } from './list-reader.ts';
import { BrokenPromise, Inconclusive } from './sequences/expectations.ts';
import { createModel, type Model } from './sequences/model.ts';
import { runSequence, type Sequence, sequencesOf } from './sequences/sequence.ts';

/** The most failures reported for a resource. */
const MOST_FAILURES = 5;
/** A sequence sends some twenty requests. */
const MOST_SHRINKS = { tries: 60, requests: 600, requestsInAll: 1200 };

/** The address of a collection: in its parent, or at generated ids. */
const addressOf = async (session: Session, resource: Resource): Promise<Address | undefined> => {
  if (resource.parent) return session.instances.shared(resource.parent);
  const { create, shape } = resource;
  const [valid] = fc.sample(session.requestsOf(create), { seed: session.seed, numRuns: 1 });
  const ids = pathParametersOf(create).map((each) => valid?.parameters.get(each) ?? null);
  const hasOwnId = shapeOfPath(create.path) === shape && !isSingle(resource);
  return { ids: hasOwnId ? ids.slice(0, -1) : ids, before: [] };
};

/** An interrupted sequence proves nothing. */
const ignoreStop = (error: unknown): void => {
  if (!(error instanceof Stopped)) throw error;
};

const COMPLETE = 'whether a list contains every created thing';

/** Collects the checks that sequences could not make. */
const createOmissions = ({ hasDeferred }: Session, resource: Resource) => {
  const reasons = new Set<string>();
  const lists = { asked: 0, read: 0, whole: 0 };
  return {
    /** Records why the rest of a sequence was not sent. */
    cutShort: (why: string): void => void reasons.add(why),
    onList: (listing: Listing | undefined): void => {
      lists.asked += 1;
      if (listing) lists.read += 1;
      if (listing?.isWhole) lists.whole += 1;
    },
    all: (scope: readonly string[]): Unchecked[] => {
      const { title, list } = resource;
      const kinds: readonly (readonly [isSo: boolean, what: string])[] = [
        [
          scope.length > 0,
          `${COMPLETE}, because a query parameter may leave things out (${scope.join(', ')})`,
        ],
        [hasDeferred(resource) && list !== undefined, 'lists, because a change was answered with 202'],
        [lists.asked > 0 && lists.read === 0, 'lists, because no reply showed a list of things with ids'],
        [lists.read > 0 && lists.whole === 0, `${COMPLETE}, because it could not be read to its end`],
      ];
      const left = kinds.flatMap(([isSo, what]) => (isSo ? [what] : []));
      const cut = [...reasons].map((why) => `the rest of some sequences, because ${why}`);
      return [...left, ...cut].map((what) => ({ what, where: title }));
    },
  };
};

/** Sends sequences of requests about a resource, and shrinks each one that breaks a promise. */
export const examine = async (session: Session, resource: Resource, runs: number): Promise<Findings> => {
  let created = 0;
  const omissions = createOmissions(session, resource);
  let scope: readonly string[] = [];
  const within = await addressOf(session, resource);

  /** Deletes the remaining things, to keep lists short. */
  const tidyUp = async (model: Model): Promise<void> => {
    const { remove } = resource;
    for (const { instance, isGone } of model.created)
      if (remove && !isGone) await session.send(validProbeOf(model.about(instance, remove)));
  };

  /** The failure of a sequence, with a key that similar failures share. */
  const findBreach = async (sequence: Sequence): Promise<[key: string, Failure] | undefined> => {
    if (!within) return undefined;
    const plain = new Map(sequence.plain);
    const model = createModel({ session, resource, plain, within, onList: omissions.onList });
    scope = model.scope;
    try {
      await runSequence(model, sequence);
      return undefined;
    } catch (error) {
      if (error instanceof Inconclusive) omissions.cutShort(error.message);
      if (error instanceof Inconclusive || error instanceof Stopped) return undefined;
      if (!(error instanceof BrokenPromise)) throw error;
      const { promise, operation, message } = error;
      const breach = { what: message, at: repliesAt(operation) };
      return [`${promise} ${operation.id}`, { name: promise, exchanges: model.exchanges, breach }];
    } finally {
      created += model.created.length;
      await tidyUp(model).catch(ignoreStop);
    }
  };

  const values = sequencesOf(session, resource);
  const { seed } = session;
  /** The first failure of each kind, with the index of its sequence. */
  const firsts = new Map<string, { readonly index: number; readonly failure: Failure }>();
  try {
    for (const [index, sequence] of fc.sample(values, { seed, numRuns: runs }).entries()) {
      const [key, failure] = (firsts.size < MOST_FAILURES && (await findBreach(sequence))) || [];
      if (key !== undefined && failure && !firsts.has(key)) firsts.set(key, { index, failure });
    }
  } catch (error) {
    ignoreStop(error);
  }

  const failures: Failure[] = [];
  const nextBudget = createShrinkBudget(session.sent, MOST_SHRINKS);
  for (const [key, { index, failure }] of firsts) {
    const findAgain = async (sequence: Sequence): Promise<Failure | undefined> => {
      const [found, smaller] = (await findBreach(sequence)) ?? [];
      return found === key ? smaller : undefined;
    };
    failures.push((await shrink({ values, seed, index }, findAgain, nextBudget())) ?? failure);
  }
  const nothing = `${resource.title}: its data is not checked, because nothing could be created`;
  return {
    failures,
    notes: created === 0 ? [nothing] : [],
    unchecked: created === 0 ? [] : omissions.all(scope),
  };
};
