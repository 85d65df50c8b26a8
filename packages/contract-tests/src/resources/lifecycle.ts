import type { Schemas } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import type { JudgedReply } from '../exchange/send.ts';
import type { Bodies } from '../requests/bodies.ts';
import { type Call, type Exchange, isStub } from '../requests/call.ts';
import { callOf, type Probe, validProbeOf } from '../requests/probe.ts';
import { type ValidRequest, withoutOptions } from '../requests/valid.ts';
import { isObject, type Json } from '../values/json.ts';
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

/** The dependencies for creating instances. */
export interface LifecycleOptions {
  readonly request: Schemas;
  readonly bodies: Bodies;
  readonly send: (probe: Probe) => Promise<JudgedReply>;
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
export const createLifecycle = ({ request, bodies, send }: LifecycleOptions) => {
  const identify = createIdentify(request);

  /** Creates a call at an address, without optional parameters. */
  const callAt = (within: Address, operation: Operation, valid: ValidRequest): Call =>
    callOf(operation, placeAt(within, operation, withoutOptions(valid)), bodies);

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
      return callOf(operation, placeAt(instance, operation, { ...valid, body: named }), bodies);
    },
    /** Creates an instance. Returns no instance if the service created nothing, or its id is not found. */
    create: async (
      resource: Resource,
      valid: ValidRequest,
      within: Address = { ids: [], before: [] },
    ): Promise<{ readonly exchange: Exchange; readonly instance: Instance | undefined }> => {
      const call = callAt(within, resource.create, valid);
      const { reply } = await send(validProbeOf({ ...call, before: within.before }));
      const exchange: Exchange = { call, reply };
      const isStored = reply && reply.status >= 200 && reply.status < 300 && reply.status !== 202;
      const identity = isStored && !isStub(reply) ? identify(resource, exchange) : undefined;
      const ids = identity && idsOf(resource, call, identity);
      if (!identity || !ids) return { exchange, instance: undefined };
      const value = call.body && valid.body ? valid.body.value : undefined;
      const sent = value instanceof Uint8Array ? undefined : value;
      const before = [...within.before, exchange];
      return { exchange, instance: { resource, identity, ids, before, sent } };
    },
    /** The id that a request chooses for a new thing. */
    sentIdOf: (resource: Resource, call: Call): Json | undefined =>
      identify(resource, { call, reply: undefined })?.value,
  };
};
