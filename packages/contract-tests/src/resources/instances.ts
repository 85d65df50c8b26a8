import { oncePerKey } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import { Stopped } from '../exchange/transport.ts';
import type { Call, Reply } from '../requests/call.ts';
import { callOf } from '../requests/probe.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { identityOf } from '../values/json.ts';
import { createLifecycle, type Instance, type LifecycleOptions } from './lifecycle.ts';
import type { Resource } from './resources.ts';

interface InstancesOptions extends LifecycleOptions {
  readonly resources: readonly Resource[];
  readonly requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>;
  readonly seed: number;
}

/** The most attempts to create one instance before giving up on its resource. */
const MOST_ATTEMPTS = 5;
/** The most shared instances that may disappear before no more are created. */
const MOST_LOSSES = 20;
/** One request in eight gets no instance, to test missing things too. */
const LEFT_ALONE = 8;

const digestOf = (text: string): number =>
  [...text].reduce((digest, character) => (digest * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 0);

/** The innermost resource with an instance that an operation is about. */
const resourceOf = (resources: readonly Resource[], operation: Operation): Resource | undefined => {
  const own = shapeOfPath(operation.path);
  return resources.findLast(
    ({ shape, create }) => (own === shape && operation !== create) || own.startsWith(`${shape}/`),
  );
};

/** Creates functions that create instances, and share one per resource. */
const createShared = (
  { requestsOf, seed }: InstancesOptions,
  { create }: ReturnType<typeof createLifecycle>,
) => {
  const stateOf = oncePerKey((_resource: Resource) => ({ drawn: 0, losses: 0, isHopeless: false }));
  const kept = new Map<Resource, Promise<Instance | undefined>>();

  /** Creates an instance, after its parent. Each run with this seed sends the same requests. */
  const createNew = async (resource: Resource): Promise<Instance | undefined> => {
    const state = stateOf(resource);
    const parent = resource.parent && (await shared(resource.parent));
    if (state.isHopeless || (resource.parent && !parent)) return undefined;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const [valid] = fc.sample(requestsOf(resource.create), { seed: seed + state.drawn, numRuns: 1 });
      state.drawn += 1;
      const { instance } = valid ? await create(resource, valid, parent) : { instance: undefined };
      if (instance) return instance;
    }
    state.isHopeless = true;
    return undefined;
  };

  /** The shared instance of a resource. It is created again if there was no time for it before. */
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

  /** Forgets a lost instance; the next request creates another. */
  const forget = (resource: Resource): void => {
    const state = stateOf(resource);
    state.losses += 1;
    if (state.losses < MOST_LOSSES) kept.delete(resource);
  };
  return { createNew, shared, forget };
};

/** Creates instances, and shares one per resource among requests. */
export const createInstances = (options: InstancesOptions) => {
  const { resources, bodies } = options;
  const lifecycle = createLifecycle(options);
  const { createNew, shared, forget } = createShared(options, lifecycle);
  /** The instance of each call, by its parameters. */
  const subjects = new WeakMap<ReadonlyMap<unknown, unknown>, Instance>();
  return {
    ...lifecycle,
    createNew,
    shared,
    /** Creates a call about an existing instance, if possible. */
    callOf: async (operation: Operation, valid: ValidRequest): Promise<Call> => {
      const resource = resourceOf(resources, operation);
      const given = pathParametersOf(operation).map((each) => valid.parameters.get(each) ?? null);
      if (!resource || digestOf(identityOf(given)) % LEFT_ALONE === 1)
        return callOf(operation, valid, bodies);
      // A delete must not remove the shared instance.
      const isOwn = operation === resource.remove;
      const instance = await (isOwn ? createNew(resource).catch(() => undefined) : shared(resource));
      if (!instance) return callOf(operation, valid, bodies);
      const call = { ...lifecycle.addressTo(instance, operation, valid), before: instance.before };
      if (!isOwn) subjects.set(call.parameters, instance);
      return call;
    },
    /** Notices that the instance of a call no longer exists. */
    observe: ({ operation, parameters }: Call, reply: Reply | undefined): void => {
      const resource = subjects.get(parameters)?.resource;
      const isGone = reply?.status === 404 || reply?.status === 410;
      if (resource && isGone && shapeOfPath(operation.path) === resource.shape) forget(resource);
    },
  };
};
