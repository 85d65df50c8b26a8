import fc from 'fast-check';
import { repliesAt } from '../document/operations.ts';
import type { Failure } from '../exchange/failure.ts';
import { Stopped } from '../exchange/transport.ts';
import { pathParametersOf, shapeOfPath } from '../requests/draft.ts';
import type { Outcome } from '../run-check.ts';
import type { Session } from '../session.ts';
import { createShrinkBudget } from '../shrink.ts';
import { validProbeOf, type Whereabouts } from './making.ts';
import { createOmissions } from './omissions.ts';
import type { Scope } from './reading/scope.ts';
import { isSingle, type Resource } from './resources.ts';
import { Broken, NoClaim } from './sequences/broken.ts';
import { runSequence, type Sequence, sequencesOf } from './sequences/sequence.ts';
import { createWorld, type World, type WorldOptions } from './sequences/world.ts';

/** The most failures that are reported of one resource. */
const MOST_FAILURES = 5;
/** A sequence takes some twenty requests. */
const MOST_SHRINKS = { tries: 60, requests: 600, requestsInAll: 1200 };

/** Where the things of a resource are made: in something that exists, or at whatever ids were generated. */
const whereabouts = async (session: Session, resource: Resource): Promise<Whereabouts | undefined> => {
  if (resource.parent) return session.things.keep(resource.parent);
  const { create, shape } = resource;
  const [valid] = fc.sample(session.requestsOf(create), { seed: session.seed, numRuns: 1 });
  const ids = pathParametersOf(create).map((each) => valid?.parameters.get(each) ?? null);
  const hasOwnId = shapeOfPath(create.path) === shape && !isSingle(resource);
  return { ids: hasOwnId ? ids.slice(0, -1) : ids, before: [] };
};

/** A sequence that was stopped shows nothing. */
const ignoreStop = (error: unknown): void => {
  if (!(error instanceof Stopped)) throw error;
};

/** Sends sequences of requests about the things of a resource, and shrinks each that breaks a promise. */
export const examine = async (
  { session, resource, ...tools }: Omit<WorldOptions, 'plain' | 'within' | 'onList'>,
  runs: number,
): Promise<Outcome> => {
  const statuses: number[] = [];
  let made = 0;
  const omissions = createOmissions(session, resource);
  let scope: Scope | undefined;
  const within = await whereabouts(session, resource);

  /** What is left of a sequence would only make lists longer. */
  const tidyUp = async ({ resource: { remove }, made, about }: World): Promise<void> => {
    for (const { thing, isGone } of made)
      if (remove && !isGone) await session.send(validProbeOf(about(thing, remove)));
  };

  /** The promise that a sequence breaks, by a key that other sequences share. */
  const findBreach = async (sequence: Sequence): Promise<[key: string, Failure] | undefined> => {
    if (!within) return undefined;
    const plain = new Map(sequence.plain);
    const world = createWorld({ session, resource, ...tools, plain, within, onList: omissions.onList });
    scope = world.scope;
    try {
      await runSequence(world, sequence);
      return undefined;
    } catch (error) {
      if (error instanceof NoClaim) {
        omissions.cutShort(error.message);
        return undefined;
      }
      if (error instanceof Stopped) return undefined;
      if (!(error instanceof Broken)) throw error;
      const { claim, operation, message } = error;
      const breach = { what: message, at: repliesAt(operation) };
      return [`${claim} ${operation.id}`, { name: claim, exchanges: world.exchanges, breach }];
    } finally {
      made += world.made.length;
      statuses.push(...world.exchanges.flatMap(({ answer }) => answer?.status ?? []));
      await tidyUp(world).catch(ignoreStop);
    }
  };

  const { any, always } = sequencesOf(session, resource);
  /** Runs sequences while they are right. */
  const check = async (
    parameters: fc.Parameters<[Sequence]>,
    isRight: (sequence: Sequence) => Promise<boolean>,
  ): Promise<void> => {
    let thrown: unknown;
    const property = fc.asyncProperty(any, (sequence) =>
      isRight(sequence).catch((error: unknown) => {
        thrown ??= error;
        return true;
      }),
    );
    await fc.check(property, { seed: session.seed, ...parameters }).catch(ignoreStop);
    if (thrown !== undefined) throw thrown;
  };

  /** The first sequence that breaks each promise, by its number. */
  const firsts = new Map<string, { readonly index: number; readonly failure: Failure }>();
  let count = 0;
  await check({ numRuns: runs }, async (sequence) => {
    const index = count++;
    const [key, failure] = (firsts.size < MOST_FAILURES && (await findBreach(sequence))) || [];
    if (key !== undefined && failure && !firsts.has(key)) firsts.set(key, { index, failure });
    return true;
  });

  const failures: Failure[] = [];
  const nextBudget = createShrinkBudget(session.sent, MOST_SHRINKS);
  for (const [key, { index, failure }] of firsts) {
    let smallest = failure;
    const mayGoOn = nextBudget();
    await check({ path: `${index}`, numRuns: 1 }, async (sequence) => {
      const [found, smaller] = (mayGoOn() && (await findBreach(sequence))) || [];
      if (found === key && smaller) smallest = smaller;
      return found !== key;
    });
    failures.push(smallest);
  }
  // Last, because what they find is not shrunk.
  const told = new Set(firsts.keys());
  for (const sequence of always) {
    const [key, failure] = (told.size < MOST_FAILURES && (await findBreach(sequence))) || [];
    if (key === undefined || !failure || told.has(key)) continue;
    told.add(key);
    failures.push(failure);
  }
  const notes =
    made === 0 ? [`${resource.title}: what it keeps is not checked, because nothing could be created`] : [];
  return {
    requests: statuses.length,
    accepted: statuses.filter((status) => status < 400).length,
    refused: statuses.filter((status) => status >= 400 && status < 500).length,
    failures,
    notes,
    unchecked: made === 0 ? [] : omissions.all(scope),
  };
};
