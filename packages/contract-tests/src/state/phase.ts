import fc from 'fast-check';
import { type Operation, repliesAt } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import type { Failure } from '../exchange/failure.ts';
import { Stopped } from '../exchange/transport.ts';
import { type Findings, MOST_FAILURES, type Phase } from '../phases/phase.ts';
import { validProbeOf } from '../requests/call.ts';
import type { Address } from '../resources/instances.ts';
import { isSingle, type Resource } from '../resources/resources.ts';
import type { Session } from '../session.ts';
import { type Suspect, shrinkAll } from '../shrink.ts';
import type { Unchecked } from '../tally.ts';
import { present } from '../values/json.ts';
import { BrokenPromise, Inconclusive } from './expectations.ts';
import { scopeOf } from './list-reader.ts';
import { createModel, type ListCounts, type Model } from './model.ts';
import { runSequence, type Sequence, sequencesOf } from './sequence.ts';

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

interface Examination {
  readonly session: Session;
  readonly resource: Resource;
  readonly within: Address;
  created: number;
  /** Why the rest of some sequences was not sent. */
  readonly cuts: Set<string>;
  readonly lists: ListCounts;
}

const uncheckedIn = ({ session, resource, cuts, lists }: Examination): Unchecked[] => {
  const { title, list } = resource;
  const scope = list ? scopeOf(session.contract.request, list) : [];
  const what = [
    ...present(
      scope.length > 0 && `${COMPLETE}, because a query parameter may leave things out (${scope.join(', ')})`,
      session.hasDeferred(resource) && list && 'lists, because a change was answered with 202',
      lists.asked > 0 && lists.read === 0 && 'lists, because no reply showed a list of things with ids',
      lists.read > 0 && lists.whole === 0 && `${COMPLETE}, because it could not be read to its end`,
    ),
    ...[...cuts].map((why) => `the rest of some sequences, because ${why}`),
  ];
  return what.map((each) => ({ what: each, where: title }));
};

/** Deletes the remaining things, to keep lists short. */
const tidyUp = async ({ session, resource: { remove } }: Examination, model: Model): Promise<void> => {
  for (const { instance, isGone } of model.created)
    if (remove && !isGone) await session.send(validProbeOf(model.about(instance, remove)));
};

/** The failure of a sequence, with a key that similar failures share. */
const findBreach = async (
  examination: Examination,
  sequence: Sequence,
): Promise<{ readonly key: string; readonly failure: Failure } | undefined> => {
  const { session, resource, within, lists } = examination;
  const model = createModel({ session, resource, plain: new Map(sequence.plain), within, lists });
  try {
    await runSequence(model, sequence);
    return undefined;
  } catch (error) {
    if (error instanceof Inconclusive) examination.cuts.add(error.message);
    if (error instanceof Inconclusive || error instanceof Stopped) return undefined;
    if (!(error instanceof BrokenPromise)) throw error;
    const { promise, operation, message } = error;
    const breach = { what: message, at: repliesAt(operation) };
    const failure = { name: promise, exchanges: model.exchanges, breach };
    return { key: `${promise} ${operation.id}`, failure };
  } finally {
    examination.created += model.created.length;
    await tidyUp(examination, model).catch(ignoreStop);
  }
};

/** Sends sequences of requests about a resource, and shrinks each one that breaks a promise. */
const examine = async (session: Session, resource: Resource, runs: number): Promise<Findings> => {
  const { seed } = session;
  const within = await addressOf(session, resource);
  const lists = { asked: 0, read: 0, whole: 0 };
  const nothing = `${resource.title}: its data is not checked, because nothing could be created`;
  if (!within) return { failures: [], notes: [nothing] };
  const examination: Examination = { session, resource, within, created: 0, cuts: new Set(), lists };
  const values = sequencesOf(session, resource);
  /** The first failure of each kind. */
  const firsts = new Map<string, readonly Suspect[]>();
  try {
    for (const [index, sequence] of fc.sample(values, { seed, numRuns: runs }).entries()) {
      if (firsts.size >= MOST_FAILURES) break;
      const { key, failure } = (await findBreach(examination, sequence)) ?? {};
      if (key !== undefined && failure && !firsts.has(key)) firsts.set(key, [{ index, failure }]);
    }
  } catch (error) {
    ignoreStop(error);
  }
  const failures = await shrinkAll(session, values, firsts, MOST_SHRINKS, async (key, sequence) => {
    const found = await findBreach(examination, sequence);
    return found?.key === key ? found.failure : undefined;
  });
  if (examination.created === 0) return { failures, notes: [nothing] };
  return { failures, notes: [], unchecked: uncheckedIn(examination) };
};

const operationsIn = ({ create, read, replace, patch, remove, list, parent }: Resource): Operation[] => [
  ...(parent ? [parent.create] : []),
  ...new Set(present(create, read, replace, patch, remove, list)),
];

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** The phase that checks stored data: it sends sequences of requests about the same things. */
export const createStatePhase = (session: Session): Phase => {
  const { operations, resources, requests } = session;
  const runs = Math.max(5, Math.min(40, Math.ceil(requests / 4)));
  const examined = resources.filter(({ read, list }) => read ?? list);
  const covered = new Set(examined.flatMap(operationsIn));
  return {
    name: 'state',
    promise: 'stored data can be read, changed and deleted, and nothing else changes it',
    subjects: examined.map((resource) => ({
      title: resource.title,
      operations: operationsIn(resource),
      run: () => examine(session, resource, runs),
    })),
    unchecked: operations
      .filter((each) => WRITES.includes(each.method) && !covered.has(each))
      .map(({ id }) => ({ what: 'stored data, because no operation reads it back', where: id })),
  };
};
