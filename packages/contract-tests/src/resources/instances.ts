import { oncePerKey } from '@trellis/openapi/json';
import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import { Stopped } from '../exchange/transport.ts';
import type { Draft, Reply } from '../requests/draft.ts';
import { draftOf } from '../requests/probe.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { identityOf } from '../values/json.ts';
import { createLifecycle, type Instance, type LifecycleOptions } from './lifecycle.ts';
import type { Resource } from './resources.ts';

/** What instances are created with, and of which resources. */
interface InstancesOptions extends LifecycleOptions {
  readonly resources: readonly Resource[];
  readonly requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>;
  readonly seed: number;
}

/** How many requests for one instance may fail before none is tried again. */
const MOST_ATTEMPTS = 5;
/** After this many lost instances, requests get no new one: the service does not keep them. */
const MOST_LOSSES = 20;
/** One request in eight gets no instance: requests about missing things must be answered, too. */
const LEFT_ALONE = 8;

/** A number that depends on nothing but the text. */
const digestOf = (text: string): number =>
  [...text].reduce((digest, character) => (digest * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 0);

/** Creates instances, and keeps one per resource for requests that need it. */
export const createInstances = (options: InstancesOptions) => {
  const { resources, bodies, requestsOf, seed } = options;
  const lifecycle = createLifecycle(options);
  const stateOf = oncePerKey((_resource: Resource) => ({ drawn: 0, losses: 0, isHopeless: false }));

  /** The next request to create an instance; the same ones in every run with this seed. */
  const draw = (resource: Resource): ValidRequest | undefined => {
    const state = stateOf(resource);
    state.drawn += 1;
    return fc.sample(requestsOf(resource.create), { seed: seed + state.drawn - 1, numRuns: 1 })[0];
  };

  /** Creates an instance, and first its parent. */
  const createNew = async (resource: Resource): Promise<Instance | undefined> => {
    const parent = resource.parent && (await shared(resource.parent));
    if (stateOf(resource).isHopeless || (resource.parent && !parent)) return undefined;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const valid = draw(resource);
      const { instance } = valid ? await lifecycle.create(resource, valid, parent) : { instance: undefined };
      if (instance) return instance;
    }
    stateOf(resource).isHopeless = true;
    return undefined;
  };

  const kept = new Map<Resource, Promise<Instance | undefined>>();
  /** The instance that requests share until it is deleted. If there was no time to create it, a later call does. */
  const shared = (resource: Resource): Promise<Instance | undefined> => {
    const instance =
      kept.get(resource) ??
      createNew(resource).catch((error: unknown) => {
        if (error instanceof Stopped) kept.delete(resource);
        return undefined;
      });
    kept.set(resource, instance);
    return instance;
  };

  /** The instances that drafts are about. */
  const subjects = new WeakMap<ReadonlyMap<unknown, unknown>, Instance>();

  const resourceOf = (operation: Operation): Resource | undefined =>
    resources
      .filter(({ shape, create }) => {
        const own = shapeOfPath(operation.path);
        return (own === shape && operation !== create) || own.startsWith(`${shape}/`);
      })
      .at(-1);

  return {
    ...lifecycle,
    createNew,
    shared,
    /** The draft of a valid request, about an instance that exists if there can be one. */
    draftOf: async (operation: Operation, valid: ValidRequest): Promise<Draft> => {
      const resource = resourceOf(operation);
      const given = pathParametersOf(operation).map((each) => valid.parameters.get(each) ?? null);
      if (!resource || digestOf(identityOf(given)) % LEFT_ALONE === 1)
        return draftOf(operation, valid, bodies);
      // A request must not delete the instance that other requests use.
      const isOwn = operation === resource.remove;
      const instance = await (isOwn ? createNew(resource).catch(() => undefined) : shared(resource));
      if (!instance) return draftOf(operation, valid, bodies);
      const draft = { ...lifecycle.addressTo(instance, operation, valid), before: instance.before };
      if (!isOwn) subjects.set(draft.parameters, instance);
      return draft;
    },
    /** Forgets a deleted instance, so that the next request gets another. */
    observe: ({ operation, parameters }: Draft, reply: Reply | undefined): void => {
      const resource = subjects.get(parameters)?.resource;
      const isGone = reply?.status === 404 || reply?.status === 410;
      if (!resource || !isGone || shapeOfPath(operation.path) !== resource.shape) return;
      stateOf(resource).losses += 1;
      if (stateOf(resource).losses < MOST_LOSSES) kept.delete(resource);
    },
  };
};
