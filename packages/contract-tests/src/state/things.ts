import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { Stopped } from '../exchange/transport.ts';
import { type Answer, type Draft, pathParametersOf, shapeOfPath } from '../requests/draft.ts';
import { draftOf } from '../requests/probe.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { identityOf } from '../values/json.ts';
import { createMaking, type MakingOptions, type Thing } from './making.ts';
import type { Resource } from './resources.ts';

/** What things are made with, and which there are. */
export interface ThingsOptions extends MakingOptions {
  readonly resources: readonly Resource[];
  readonly requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>;
  readonly seed: number;
}

/** How many requests for one thing may fail before none is tried again. */
const MOST_ATTEMPTS = 5;
/** How many things may be gone before requests get no new one: this service does not keep them. */
const MOST_LOSSES = 20;
/** One in so many requests is left without a thing: what does not exist must be answered too. */
const LEFT_ALONE = 8;

/** A number that depends on nothing but the text. */
const digestOf = (text: string): number =>
  [...text].reduce((digest, character) => (digest * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 0);

/** Makes things, and keeps one of each kind for requests that need one. */
export const createThings = (options: ThingsOptions) => {
  const { resources, bodies, readings, requestsOf, send, seed } = options;
  const making = createMaking({ bodies, readings, send });
  const { make, addressTo } = making;

  const drawn = new Map<Resource, number>();
  /** The next request to create something; the same ones in every run with this seed. */
  const draw = (resource: Resource): ValidRequest | undefined => {
    const count = drawn.get(resource) ?? 0;
    drawn.set(resource, count + 1);
    return fc.sample(requestsOf(resource.create), { seed: seed + count, numRuns: 1 })[0];
  };

  const hopeless = new Set<Resource>();
  /** Makes a new thing, and first what it is a part of. */
  const makeNew = async (resource: Resource): Promise<Thing | undefined> => {
    const parent = resource.parent && (await keep(resource.parent));
    if (hopeless.has(resource) || (resource.parent && !parent)) return undefined;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const valid = draw(resource);
      const { thing } = valid ? await make(resource, valid, parent) : { thing: undefined };
      if (thing) return thing;
    }
    hopeless.add(resource);
    return undefined;
  };

  const kept = new Map<Resource, Promise<Thing | undefined>>();
  /** Whoever has time again makes the thing that there was no time for. */
  const giveUp =
    (resource: Resource) =>
    (error: unknown): undefined => {
      if (error instanceof Stopped) kept.delete(resource);
      return undefined;
    };
  /** The thing that requests share until it is gone. */
  const keep = (resource: Resource): Promise<Thing | undefined> => {
    const thing = kept.get(resource) ?? makeNew(resource).catch(giveUp(resource));
    kept.set(resource, thing);
    return thing;
  };

  const losses = new Map<Resource, number>();
  /** The things that drafts are about. */
  const subjects = new WeakMap<ReadonlyMap<unknown, unknown>, Thing>();

  const resourceOf = (operation: Operation): Resource | undefined =>
    resources
      .filter(({ shape, create }) => {
        const own = shapeOfPath(operation.path);
        return (own === shape && operation !== create) || own.startsWith(`${shape}/`);
      })
      .at(-1);

  return {
    ...making,
    makeNew,
    keep,
    /** The draft of a valid request, about a thing that exists if there can be one. */
    draftOf: async (operation: Operation, valid: ValidRequest): Promise<Draft> => {
      const resource = resourceOf(operation);
      const given = pathParametersOf(operation).map((each) => valid.parameters.get(each) ?? null);
      if (!resource || digestOf(identityOf(given)) % LEFT_ALONE === 1)
        return draftOf(operation, valid, bodies);
      // What one request deletes must not be missed by another.
      const isOwn = operation === resource.remove;
      const thing = await (isOwn ? makeNew(resource).catch(() => undefined) : keep(resource));
      if (!thing) return draftOf(operation, valid, bodies);
      const draft = { ...addressTo(thing, operation, valid), before: thing.before };
      if (!isOwn) subjects.set(draft.parameters, thing);
      return draft;
    },
    /** Forgets a thing that is gone, so that the next request gets another. */
    observe: ({ operation, parameters }: Draft, answer: Answer | undefined): void => {
      const thing = subjects.get(parameters);
      const isGone = answer?.status === 404 || answer?.status === 410;
      if (!thing || !isGone || shapeOfPath(operation.path) !== thing.resource.shape) return;
      const count = (losses.get(thing.resource) ?? 0) + 1;
      losses.set(thing.resource, count);
      if (count < MOST_LOSSES) kept.delete(thing.resource);
    },
  };
};

/** Makes things, and keeps one of each kind. */
export type Things = ReturnType<typeof createThings>;
