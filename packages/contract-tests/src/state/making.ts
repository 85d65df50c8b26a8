import type { Operation } from '../document/operations.ts';
import type { Verdict } from '../exchange/send.ts';
import type { Bodies } from '../requests/bodies.ts';
import { type Draft, type Exchange, pathParametersOf, shapeOfPath } from '../requests/draft.ts';
import { draftOf, type Probe } from '../requests/probe.ts';
import type { Readings } from '../requests/readings.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { isObject, type Json, textOf } from '../values/json.ts';
import { createIdentify, type Identity, idMemberOf, idNamesOf } from './identity.ts';
import type { Resource } from './resources.ts';

/** The beginning of a path. */
export interface Whereabouts {
  /** The values of its parameters, in the order of the path. */
  readonly ids: readonly Json[];
  /** The requests that made what is there. */
  readonly before: readonly Exchange[];
}

/** Something that the service keeps. */
export interface Thing extends Whereabouts {
  readonly resource: Resource;
  readonly identity: Identity;
  /** The body that it was made from. */
  readonly sent: Json | undefined;
}

/** The request to make something, and what came of it. */
export interface Attempt {
  readonly exchange: Exchange;
  /** `undefined` if the service made nothing, or it cannot be found again. */
  readonly thing: Thing | undefined;
}

/** What things are made with. */
export interface MakingOptions {
  readonly bodies: Bodies;
  readonly readings: Readings;
  readonly send: (probe: Probe) => Promise<Verdict>;
}

const NOWHERE: Whereabouts = { ids: [], before: [] };

/** A probe that must be answered as valid. */
export const validProbeOf = (draft: Draft, name = 'valid request'): Probe => ({
  name,
  kind: 'valid',
  draft,
  refusal: undefined,
  named: '',
  at: () => draft.operation.at,
});

/** Only what a request must have: an optional parameter may mean that nothing is stored, or only a part is shown. */
export const withoutOptions = (valid: ValidRequest): ValidRequest => ({
  ...valid,
  parameters: new Map([...valid.parameters].filter(([each]) => each.isRequired || each.in === 'path')),
});

/** Makes things, and requests about them. */
export const createMaking = ({ bodies, readings, send }: MakingOptions) => {
  const identify = createIdentify(readings);

  /** The request with these ids in its path. */
  const placeAt = ({ ids }: Whereabouts, operation: Operation, valid: ValidRequest): ValidRequest => {
    const parameters = new Map(valid.parameters);
    pathParametersOf(operation).forEach((each, index) => {
      const id = ids[index];
      if (id !== undefined) parameters.set(each, id);
    });
    return { ...valid, parameters };
  };

  /** The request about a thing: with its ids in the path, and its id in the body if that repeats it. */
  const addressTo = (thing: Thing, operation: Operation, valid: ValidRequest): Draft => {
    const { body } = valid;
    const isItself = shapeOfPath(operation.path) === thing.resource.shape;
    const name =
      isItself && body && isObject(body.value)
        ? idMemberOf(idNamesOf(thing.resource), Object.keys(body.value))
        : undefined;
    const value =
      body && name !== undefined && isObject(body.value)
        ? { ...body.value, [name]: thing.identity.value }
        : body?.value;
    const whole = { ...valid, body: body && value !== undefined ? { ...body, value } : undefined };
    return draftOf(operation, placeAt(thing, operation, whole), bodies);
  };

  /** Sends a request that creates something. */
  const make = async (
    resource: Resource,
    valid: ValidRequest,
    within: Whereabouts = NOWHERE,
  ): Promise<Attempt> => {
    const { create, shape } = resource;
    const needed = withoutOptions(valid);
    const draft = draftOf(create, placeAt(within, create, needed), bodies);
    const { answer } = await send(validProbeOf({ ...draft, before: within.before }));
    const exchange: Exchange = { draft, answer };
    const isStored = answer && answer.status >= 200 && answer.status < 300 && answer.status !== 202;
    const identity =
      isStored && answer.headers['x-stub'] === undefined ? identify(resource, exchange) : undefined;
    const above = pathParametersOf(create).flatMap((each) => draft.parameters.get(each) ?? []);
    const own = shapeOfPath(create.path);
    const ids =
      own === shape ? above : [...(shape.startsWith(`${own}/`) ? above : []), identity?.value ?? null];
    if (!identity || ids.length !== shape.split('{}').length - 1) return { exchange, thing: undefined };
    const made = identity.isClientMade
      ? undefined
      : { shape, text: textOf(identity.value), member: identity.member };
    const whole = { ...exchange, made };
    const value = draft.body && valid.body ? valid.body.value : undefined;
    const sent = value instanceof Uint8Array ? undefined : value;
    const before = [...within.before, whole];
    return { exchange: whole, thing: { resource, identity, ids, before, sent } };
  };

  return {
    addressTo,
    make,
    /** The draft of a request at the beginning of a path. */
    draftAt: (within: Whereabouts, operation: Operation, valid: ValidRequest): Draft =>
      draftOf(operation, placeAt(within, operation, valid), bodies),
    /** The id that a request chooses for what it creates. */
    sentIdOf: (resource: Resource, draft: Draft): Json | undefined =>
      identify(resource, { draft, answer: undefined })?.value,
  };
};
