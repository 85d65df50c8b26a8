import type { IncomingHttpHeaders } from 'node:http';
import type { Operation, Parameter, Scheme } from '../document/operations.ts';
import type { Pointer } from '../schemas/view.ts';
import type { Json } from '../values/json.ts';
import { isUnspecified, writeParameter } from './styles.ts';

/** A change of a real credential, applied when the request is sent. */
export interface SecretChange {
  readonly apply: (real: string) => string;
  /** The same change as a shell expression inside double quotes: `${TOKEN%?}`. */
  readonly shell: (variable: string) => string;
}

/** A serialized body. */
export interface WrittenBody {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Whether OpenAPI leaves the serialization of a member undefined. */
  readonly isUnspecified?: boolean;
}

/** A credential, right or wrong. */
export interface Credential {
  readonly scheme: Scheme;
  /** The scheme whose real credential is sent, if not `scheme`. */
  readonly of?: Scheme;
  readonly change?: SecretChange;
  /** A wrong credential; `undefined` sends the real one, which is filled in last. */
  readonly text?: string;
  /** An unusual spelling of the scheme: `bearer`. */
  readonly as?: string;
}

/** A valid or invalid request before its secrets are filled in. */
export interface Call {
  readonly operation: Operation;
  readonly parameters: ReadonlyMap<Parameter, Json>;
  readonly body: WrittenBody | undefined;
  readonly credentials: readonly Credential[];
  /** Earlier requests that create the thing that this request is about. */
  readonly before?: readonly Exchange[];
}

/** A request that was sent, and its reply. */
export interface Exchange {
  readonly call: Call;
  /** `undefined` if the service did not answer. */
  readonly reply: Reply | undefined;
}

/** The reply of a service. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** A violation of HTTP, whatever the contract says. */
  readonly fault?: string;
  /** Number of items that were read from a stream, and whether it was still open. */
  readonly stream?: { readonly items: number; readonly isOpen: boolean };
  readonly late?: string;
}

/** Whether the reply comes from a stub, which may have any declared status. */
export const isStub = ({ headers }: Reply): boolean => headers['x-stub'] !== undefined;

/** Joins the values of a header that was sent several times. */
export const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

/** A fault in a reply, and the place of the contract that it breaks. */
export interface Breach {
  readonly what: string;
  readonly at: Pointer;
}

/** A serialized request. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | undefined;
}

/** Whether a request was received by the tester: its target is a whole URL. */
const isReceived = ({ target }: Pick<WireRequest, 'target'>): boolean => /^https?:/.test(target);

/** Adds headers to a request to a service, unless it sets them. */
export const addHeaders = (given: WireRequest['headers'], request: WireRequest): WireRequest => {
  if (isReceived(request)) return request;
  const own = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const added = given.filter(([name]) => !own.has(name.toLowerCase()));
  return { ...request, headers: [...added, ...request.headers] };
};

/** The URL of a request to a service. */
export const urlOf = (base: string, request: Pick<WireRequest, 'target'>): string =>
  isReceived(request) ? request.target : base.replace(/\/$/, '') + request.target;

/** Returns the text of a credential: a token, an encoded `user:password` or a key. */
export type SecretOf = (credential: Credential) => string;

const writtenIn = (place: Parameter['in'], parameters: Call['parameters']): string[] =>
  [...parameters].flatMap(([parameter, value]) =>
    parameter.in === place ? writeParameter(parameter, value) : [],
  );

/** The path of an operation with its parameters filled in. */
export const pathOf = (path: string, parameters: Call['parameters']): string =>
  [...parameters].reduce(
    (made, [parameter, value]) =>
      parameter.in === 'path'
        ? made.replaceAll(`{${parameter.name}}`, () => writeParameter(parameter, value).join(''))
        : made,
    path,
  );

/** The credentials as fields, each with its place, name and value. */
const fieldsOf = (credentials: Call['credentials'], secretOf: SecretOf) =>
  credentials
    .filter(({ scheme }) => scheme.type !== 'other')
    .map((credential) => {
      const { scheme, as = scheme.type === 'basic' ? 'Basic' : 'Bearer' } = credential;
      const secret = secretOf(credential);
      // The name of a query parameter is encoded, like its value.
      const name = scheme.in === 'query' ? encodeURIComponent(scheme.key) : scheme.key;
      return scheme.type === 'apiKey'
        ? { place: scheme.in, name, value: secret }
        : { place: 'header', name: 'Authorization', value: `${as} ${secret}` };
    });

/** Whether OpenAPI leaves the serialization of a part undefined, so that a service may reject the request. */
export const hasUnspecified = ({ parameters, body }: Call): boolean =>
  body?.isUnspecified === true || [...parameters].some(([each, value]) => isUnspecified(each, value));

/** Serializes a request with the secrets that `secretOf` returns. */
export const toWire = (
  { operation, parameters, body, credentials }: Call,
  secretOf: SecretOf,
): WireRequest => {
  const fields = fieldsOf(credentials, secretOf);
  const pairsIn = (place: string): string[] =>
    fields.filter((each) => each.place === place).map(({ name, value }) => `${name}=${value}`);
  const query = [...writtenIn('query', parameters), ...pairsIn('query')];
  const cookies = [...writtenIn('cookie', parameters), ...pairsIn('cookie')];
  return {
    method: operation.method,
    target:
      operation.base + pathOf(operation.path, parameters) + (query.length === 0 ? '' : `?${query.join('&')}`),
    headers: [
      ...fields.filter(({ place }) => place === 'header').map(({ name, value }) => [name, value] as const),
      ...(cookies.length === 0 ? [] : [['Cookie', cookies.join('; ')] as const]),
      ...(body && body.contentType !== '' ? [['Content-Type', body.contentType] as const] : []),
      ...[...parameters].flatMap(([parameter, value]) =>
        parameter.in === 'header'
          ? [[parameter.name, writeParameter(parameter, value).join('')] as const]
          : [],
      ),
    ],
    body: body?.bytes,
  };
};

/** Judges the reply to a request about HTTP itself; returns a message, or undefined. */
export type HttpRule = (reply: Reply) => string | undefined;

/** A request and the expected reply. */
export interface Probe {
  /** The fault in the request: `query.limit above 100`. */
  readonly name: string;
  /** Equal for probes with the same fault. */
  readonly kind: string;
  readonly call: Call;
  /** The expected status of an invalid request; `undefined` if it is valid. */
  readonly refusal: 400 | 401 | 415 | undefined;
  /** Further correct statuses. */
  readonly alsoRight?: readonly number[];
  /** Whether a service may reject it, since standards allow both. It must not fail. */
  readonly mayRefuse?: boolean;
  /** The rule for the reply, if the request is about HTTP itself. */
  readonly http?: HttpRule;
  /** The place of the fault, which a clear rejection names: `query.limit`. */
  readonly named: string;
  /** The place of the contract that the request violates. */
  readonly at: () => Pointer;
}

/** Creates a probe of a valid request. */
export const validProbeOf = (call: Call): Probe => ({
  name: 'valid request',
  kind: 'valid',
  call,
  refusal: undefined,
  named: '',
  at: () => call.operation.at,
});
