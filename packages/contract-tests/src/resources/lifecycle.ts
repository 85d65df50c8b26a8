import type { Side } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import { pathParametersOf, shapeOfPath } from '../document/paths.ts';
import type { Verdict } from '../exchange/send.ts';
import type { Bodies } from '../requests/bodies.ts';
import { type Draft, type Exchange, isStub } from '../requests/draft.ts';
import { draftOf, type Probe, validProbeOf } from '../requests/probe.ts';
import { type ValidRequest, withoutOptions } from '../requests/valid.ts';
import { isObject, type Json, textOf } from '../values/json.ts';
import { createIdentify, type Identity, idMemberOf, idNamesOf } from './identity.ts';
import type { Resource } from './resources.ts';

/** The beginning of a path. */
export interface Address {
  /** The values of its parameters, in the order of the path. */
  readonly ids: readonly Json[];
  /** The requests that created the things at this address. */
  readonly before: readonly Exchange[];
}

/** One thing of a resource, which the service keeps. */
export interface Instance extends Address {
  readonly resource: Resource;
  readonly identity: Identity;
  /** The body that it was created from. */
  readonly sent: Json | undefined;
}

/** What instances are created with. */
export interface LifecycleOptions {
  readonly request: Side;
  readonly bodies: Bodies;
  readonly send: (probe: Probe) => Promise<Verdict>;
}

/** Creates instances of resources, and makes requests about them. */
export const createLifecycle = ({ request, bodies, send }: LifecycleOptions) => {
  const identify = createIdentify(request);

  /** The request with these ids in its path. */
  const placeAt = ({ ids }: Address, operation: Operation, valid: ValidRequest): ValidRequest => {
    const parameters = new Map(valid.parameters);
    pathParametersOf(operation).forEach((each, index) => {
      const id = ids[index];
      if (id !== undefined) parameters.set(each, id);
    });
    return { ...valid, parameters };
  };

  /** The request about an instance: with its ids in the path, and its id in the body if that repeats it. */
  const addressTo = (instance: Instance, operation: Operation, valid: ValidRequest): Draft => {
    const { resource, identity } = instance;
    const { body } = valid;
    const isItself = shapeOfPath(operation.path) === resource.shape;
    const members = isItself && body && isObject(body.value) ? body.value : undefined;
    const name = members && idMemberOf(idNamesOf(resource), Object.keys(members));
    const named =
      body && name !== undefined ? { ...body, value: { ...members, [name]: identity.value } } : body;
    return draftOf(operation, placeAt(instance, operation, { ...valid, body: named }), bodies);
  };

  /** Sends a request that creates an instance; gives none if the service made none, or it cannot be found again. */
  const create = async (
    resource: Resource,
    valid: ValidRequest,
    within: Address = { ids: [], before: [] },
  ): Promise<{ readonly exchange: Exchange; readonly instance: Instance | undefined }> => {
    const { create: operation, shape } = resource;
    const draft = draftOf(operation, placeAt(within, operation, withoutOptions(valid)), bodies);
    const { reply } = await send(validProbeOf({ ...draft, before: within.before }));
    const exchange: Exchange = { draft, reply };
    const isStored = reply && reply.status >= 200 && reply.status < 300 && reply.status !== 202;
    const identity = isStored && !isStub(reply) ? identify(resource, exchange) : undefined;
    const above = pathParametersOf(operation).flatMap((each) => draft.parameters.get(each) ?? []);
    const own = shapeOfPath(operation.path);
    const ids =
      own === shape ? above : [...(shape.startsWith(`${own}/`) ? above : []), identity?.value ?? null];
    if (!identity || ids.length !== shape.split('{}').length - 1) return { exchange, instance: undefined };
    const made = identity.isClientMade
      ? undefined
      : { shape, text: textOf(identity.value), path: identity.path };
    const whole = { ...exchange, made };
    const value = draft.body && valid.body ? valid.body.value : undefined;
    const sent = value instanceof Uint8Array ? undefined : value;
    const before = [...within.before, whole];
    return { exchange: whole, instance: { resource, identity, ids, before, sent } };
  };

  return {
    addressTo,
    create,
    /** The draft of a request at the beginning of a path, with its required parts only. */
    draftAt: (within: Address, operation: Operation, valid: ValidRequest): Draft =>
      draftOf(operation, placeAt(within, operation, withoutOptions(valid)), bodies),
    /** The id that a request chooses for the thing it creates. */
    sentIdOf: (resource: Resource, draft: Draft): Json | undefined =>
      identify(resource, { draft, reply: undefined })?.value,
  };
};
