import { oncePerKey } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import type { Schemas } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import type { JudgedReply } from '../exchange/send.ts';
import { Stopped } from '../exchange/transport.ts';
import { type Call, type Exchange, isStub, type Probe, type Reply, validProbeOf } from '../requests/call.ts';
import { callOf, type ValidRequest, withoutOptions } from '../requests/valid.ts';
import { identityOf, isObject, type Json } from '../values/json.ts';
import { createIdentify, type Identity, idMemberOf, idNamesOf } from './identity.ts';
import type { Resource } from './resources.ts';

/** The start of a path: things that contain other things. */
export interface Address {
  /** The values of its parameters, in path order. */
  readonly ids: readonly Json[];
  /** The exchanges that created the things at this address. */
  readonly before: readonly Exchange[];
}

/** A thing of a resource, stored by the service. */
export interface Instance extends Address {
  readonly resource: Resource;
  readonly identity: Identity;
  readonly sent: Json | undefined;
}

interface InstancesOptions {
  readonly request: Schemas;
  readonly send: (probe: Probe) => Promise<JudgedReply>;
  readonly resources: readonly Resource[];
  readonly requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>;
  readonly seed: number;
}

/** Puts the ids of an address into the path of a request. */
const placeAt = ({ ids }: Address, operation: Operation, valid: ValidRequest): ValidRequest => {
  const parameters = new Map(valid.parameters);
  pathParametersOf(operation).forEach((each, index) => {
    const id = ids[index];
    if (id !== undefined) parameters.set(each, id);
  });
  return { ...valid, parameters };
};

/** The ids in the path of a new instance; undefined if they do not complete the path. */
const idsOf = ({ create, shape }: Resource, call: Call, identity: Identity): Json[] | undefined => {
  const above = pathParametersOf(create).flatMap((each) => call.parameters.get(each) ?? []);
  const own = shapeOfPath(create.path);
  const ids = own === shape ? above : [...(shape.startsWith(`${own}/`) ? above : []), identity.value];
  return ids.length === shape.split('{}').length - 1 ? ids : undefined;
};

/** Creates instances, and requests about them. */
const createLifecycle = ({ request, send }: InstancesOptions) => {
  const identify = createIdentify(request);

  /** Creates a call at an address, without optional parameters. */
  const callAt = (within: Address, operation: Operation, valid: ValidRequest): Call =>
    callOf(operation, placeAt(within, operation, withoutOptions(valid)), request);

  return {
    callAt,
    /** Addresses a request to an instance: its ids in the path, and its id in the body if that repeats it. */
    addressTo: (instance: Instance, operation: Operation, valid: ValidRequest): Call => {
      const { resource, identity } = instance;
      const { body } = valid;
      const isItself = shapeOfPath(operation.path) === resource.shape;
      const members = isItself && body && isObject(body.value) ? body.value : undefined;
      const name = members && idMemberOf(idNamesOf(resource), Object.keys(members));
      const named =
        body && name !== undefined ? { ...body, value: { ...members, [name]: identity.value } } : body;
      return callOf(operation, placeAt(instance, operation, { ...valid, body: named }), request);
    },
    /** Creates an instance. Returns no instance if the service created nothing, or its id is not found. */
    create: async (resource: Resource, valid: ValidRequest, within: Address = { ids: [], before: [] }) => {
      const call = callAt(within, resource.create, valid);
      const { reply } = await send(validProbeOf({ ...call, before: within.before }));
      const exchange: Exchange = { call, reply };
      const isStored = reply && reply.status >= 200 && reply.status < 300 && reply.status !== 202;
      const identity = isStored && !isStub(reply) ? identify(resource, exchange) : undefined;
      const ids = identity && idsOf(resource, call, identity);
      if (!identity || !ids) return { exchange, instance: undefined };
      const value = call.body && valid.body?.value;
      const sent = value instanceof Uint8Array ? undefined : value;
      const instance: Instance = { resource, identity, ids, before: [...within.before, exchange], sent };
      return { exchange, instance };
    },
    /** The id that a request chooses for a new thing. */
    sentIdOf: (resource: Resource, call: Call): Json | undefined =>
      identify(resource, { call, reply: undefined })?.value,
  };
};

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
const createShared = (options: InstancesOptions, { create }: ReturnType<typeof createLifecycle>) => {
  const { requestsOf, seed } = options;
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
      const created = valid && (await create(resource, valid, parent));
      if (created?.instance) return created.instance;
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
  const { resources, request } = options;
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
        return callOf(operation, valid, request);
      // A delete must not remove the shared instance.
      const isOwn = operation === resource.remove;
      const instance = await (isOwn ? createNew(resource).catch(() => undefined) : shared(resource));
      if (!instance) return callOf(operation, valid, request);
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
