import type { Schemas } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import type { JudgedReply } from '../exchange/send.ts';
import type { Bodies } from '../requests/bodies.ts';
import { type Call, type Exchange, isStub } from '../requests/call.ts';
import { callOf, type Probe, validProbeOf } from '../requests/probe.ts';
import { type ValidRequest, withoutOptions } from '../requests/valid.ts';
import { isObject, type Json, textOf } from '../values/json.ts';
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
  /** The body that created it. */
  readonly sent: Json | undefined;
}

/** The dependencies for creating instances. */
export interface LifecycleOptions {
  readonly request: Schemas;
  readonly bodies: Bodies;
  readonly send: (probe: Probe) => Promise<JudgedReply>;
}

/** Creates instances, and requests about them. */
export const createLifecycle = ({ request, bodies, send }: LifecycleOptions) => {
  const identify = createIdentify(request);

  /** Puts the ids of an address into the path of a request. */
  const placeAt = ({ ids }: Address, operation: Operation, valid: ValidRequest): ValidRequest => {
    const parameters = new Map(valid.parameters);
    pathParametersOf(operation).forEach((each, index) => {
      const id = ids[index];
      if (id !== undefined) parameters.set(each, id);
    });
    return { ...valid, parameters };
  };

  /** Addresses a request to an instance: its ids in the path, and its id in the body if that repeats it. */
  const addressTo = (instance: Instance, operation: Operation, valid: ValidRequest): Call => {
    const { resource, identity } = instance;
    const { body } = valid;
    const isItself = shapeOfPath(operation.path) === resource.shape;
    const members = isItself && body && isObject(body.value) ? body.value : undefined;
    const name = members && idMemberOf(idNamesOf(resource), Object.keys(members));
    const named =
      body && name !== undefined ? { ...body, value: { ...members, [name]: identity.value } } : body;
    return callOf(operation, placeAt(instance, operation, { ...valid, body: named }), bodies);
  };

  /** Creates an instance. Returns no instance if the service created nothing, or its id is not found. */
  const create = async (
    resource: Resource,
    valid: ValidRequest,
    within: Address = { ids: [], before: [] },
  ): Promise<{ readonly exchange: Exchange; readonly instance: Instance | undefined }> => {
    const { create: operation, shape } = resource;
    const call = callOf(operation, placeAt(within, operation, withoutOptions(valid)), bodies);
    const { reply } = await send(validProbeOf({ ...call, before: within.before }));
    const exchange: Exchange = { call, reply };
    const isStored = reply && reply.status >= 200 && reply.status < 300 && reply.status !== 202;
    const identity = isStored && !isStub(reply) ? identify(resource, exchange) : undefined;
    const above = pathParametersOf(operation).flatMap((each) => call.parameters.get(each) ?? []);
    const own = shapeOfPath(operation.path);
    const ids =
      own === shape ? above : [...(shape.startsWith(`${own}/`) ? above : []), identity?.value ?? null];
    if (!identity || ids.length !== shape.split('{}').length - 1) return { exchange, instance: undefined };
    const made = identity.isClientMade
      ? undefined
      : { shape, text: textOf(identity.value), path: identity.path };
    const whole = { ...exchange, made };
    const value = call.body && valid.body ? valid.body.value : undefined;
    const sent = value instanceof Uint8Array ? undefined : value;
    const before = [...within.before, whole];
    return { exchange: whole, instance: { resource, identity, ids, before, sent } };
  };

  return {
    addressTo,
    create,
    /** Creates a call at an address, without optional parameters. */
    callAt: (within: Address, operation: Operation, valid: ValidRequest): Call =>
      callOf(operation, placeAt(within, operation, withoutOptions(valid)), bodies),
    /** The id that a request chooses for a new thing. */
    sentIdOf: (resource: Resource, call: Call): Json | undefined =>
      identify(resource, { call, reply: undefined })?.value,
  };
};
