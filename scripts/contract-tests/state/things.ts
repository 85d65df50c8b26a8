import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import type { Verdict } from '../exchange/send.ts';
import type { Bodies } from '../requests/bodies.ts';
import { type Answer, type Draft, type Exchange, pathParametersOf, shapeOfPath } from '../requests/draft.ts';
import { draftOf, type Probe } from '../requests/probe.ts';
import { type Readings, textOf } from '../requests/readings.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { identityOf, isObject, type Json } from '../values/json.ts';
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
export interface ThingsOptions {
  readonly resources: readonly Resource[];
  readonly bodies: Bodies;
  readonly readings: Readings;
  readonly requestsOf: (operation: Operation) => fc.Arbitrary<ValidRequest>;
  readonly send: (probe: Probe) => Promise<Verdict>;
  readonly seed: number;
}

const NOWHERE: Whereabouts = { ids: [], before: [] };

/** How many requests for one thing may fail before none is tried again. */
const MOST_ATTEMPTS = 5;
/** How many things may be gone before requests get no new one: this service does not keep them. */
const MOST_LOSSES = 20;
/** One in so many requests is left without a thing: what does not exist must be answered too. */
const LEFT_ALONE = 8;

/** A probe that must be answered as valid. */
export const validProbeOf = (draft: Draft, name = 'valid request'): Probe => ({
  name,
  kind: 'valid',
  draft,
  refusal: undefined,
  named: '',
  at: () => draft.operation.at,
});

/** A number that depends on nothing but the text. */
const digestOf = (text: string): number =>
  [...text].reduce((digest, character) => (digest * 31 + (character.codePointAt(0) ?? 0)) % 65_521, 0);

/** Only what a request must have: an optional parameter may mean that nothing is stored, or only a part is shown. */
export const withoutOptions = (valid: ValidRequest): ValidRequest => ({
  ...valid,
  parameters: new Map([...valid.parameters].filter(([each]) => each.isRequired || each.in === 'path')),
});

/** Makes things, and keeps one of each kind for requests that need one. */
export const createThings = (options: ThingsOptions) => {
  const { resources, bodies, readings, requestsOf, send, seed } = options;
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
  /** The thing that requests share until it is gone. */
  const keep = (resource: Resource): Promise<Thing | undefined> => {
    const thing = kept.get(resource) ?? makeNew(resource).catch(() => undefined);
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
    addressTo,
    /** The draft of a request at the beginning of a path. */
    draftAt: (within: Whereabouts, operation: Operation, valid: ValidRequest): Draft =>
      draftOf(operation, placeAt(within, operation, valid), bodies),
    /** The id that a request chooses for what it creates. */
    sentIdOf: (resource: Resource, draft: Draft): Json | undefined =>
      identify(resource, { draft, answer: undefined })?.value,
    make,
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
