import type { IncomingHttpHeaders } from 'node:http';
import type { Operation, Parameter, Scheme } from '../document/operations.ts';
import type { Json } from '../values/json.ts';
import type { Pointer } from '../view/view.ts';
import type { WrittenBody } from './bodies.ts';
import { isUnspecified, writeParameter } from './styles.ts';

/** A change of a real credential, which is made when the request is sent. */
export interface Twist {
  readonly change: (real: string) => string;
  /** The same for a shell variable with the real credential, as it stands between double quotes: `${TOKEN%?}`. */
  readonly shell: (variable: string) => string;
}

/** A credential: the real one, or a wrong one. */
export interface Credential {
  /** Where and how it is sent. */
  readonly scheme: Scheme;
  /** The scheme whose real credential is sent, if that is another one. */
  readonly of?: Scheme;
  readonly twist?: Twist;
  /** `undefined` stands for the real one, which is filled in when the request is sent. */
  readonly text?: string;
  /** The name of the scheme as it is written, if not as usual: `bearer`. */
  readonly as?: string;
}

/** A valid or invalid request without its secrets. */
export interface Draft {
  readonly operation: Operation;
  readonly parameters: ReadonlyMap<Parameter, Json>;
  readonly body: WrittenBody | undefined;
  readonly credentials: readonly Credential[];
  /** What was sent before, so that there is something for this request to be about. */
  readonly before?: readonly Exchange[];
}

/** A request that was sent, and its reply. */
export interface Exchange {
  readonly draft: Draft;
  /** `undefined` if the service did not answer. */
  readonly reply: Reply | undefined;
  /** The id that the service made for what this request created. */
  readonly made?: MadeId | undefined;
}

/** An id that a service made: another run of the same requests gets another one. */
export interface MadeId {
  /** The shape of the path that the id completes: `/things/{}`. */
  readonly shape: string;
  /** The id as it stands in paths. */
  readonly text: string;
  /** The names that lead to it in the body of the reply; `undefined` if the reply's Location ends with it. */
  readonly path: readonly string[] | undefined;
}

/** The reply of a service. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** What is wrong with it as HTTP, whatever the contract says. */
  readonly fault?: string;
  /** How many items of a stream were read, and whether it was still open then. */
  readonly stream?: { readonly items: number; readonly isOpen: boolean };
  /** That it came later than it may. */
  readonly late?: string;
}

/** Whether a stub answers, which may have any status that the contract declares. */
export const isStub = ({ headers }: Reply): boolean => headers['x-stub'] !== undefined;

/** A header field as one text, even if it was sent several times. */
export const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

/** What is wrong with a reply, and which place of the contract it breaks. */
export interface Breach {
  readonly what: string;
  readonly at: Pointer;
}

/** A request as it is sent. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | undefined;
}

/** Whether a request was sent to the tester: its target is a whole URL. */
export const isReceived = ({ target }: Pick<WireRequest, 'target'>): boolean => /^https?:/.test(target);

/** A request to a service with these header fields, where it has none of its own by that name. */
export const addHeaders = (given: WireRequest['headers'], request: WireRequest): WireRequest => {
  if (isReceived(request)) return request;
  const own = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const added = given.filter(([name]) => !own.has(name.toLowerCase()));
  return { ...request, headers: [...added, ...request.headers] };
};

/** The URL of a request to a service. */
export const urlOf = (base: string, request: Pick<WireRequest, 'target'>): string =>
  isReceived(request) ? request.target : base.replace(/\/$/, '') + request.target;

/** Gives the text of a credential: a token, an encoded `user:password` or a key. */
export type Reveal = (credential: Credential) => string;

const writtenIn = (place: Parameter['in'], parameters: Draft['parameters']): string[] =>
  [...parameters].flatMap(([parameter, value]) =>
    parameter.in === place ? writeParameter(parameter, value) : [],
  );

/** The path of an operation with its parameters filled in. */
export const pathOf = (path: string, parameters: Draft['parameters']): string =>
  [...parameters].reduce(
    (made, [parameter, value]) =>
      parameter.in === 'path'
        ? made.replaceAll(`{${parameter.name}}`, () => writeParameter(parameter, value).join(''))
        : made,
    path,
  );

const keysIn = (place: string, credentials: Draft['credentials'], reveal: Reveal) =>
  credentials.flatMap((credential) =>
    credential.scheme.type === 'apiKey' && credential.scheme.in === place
      ? [[credential.scheme.key, reveal(credential)] as const]
      : [],
  );

const authorizationOf = (credentials: Draft['credentials'], reveal: Reveal): [string, string][] =>
  credentials.flatMap((credential) => {
    const { scheme, as } = credential;
    if (scheme.type === 'bearer') return [['Authorization', `${as ?? 'Bearer'} ${reveal(credential)}`]];
    return scheme.type === 'basic' ? [['Authorization', `${as ?? 'Basic'} ${reveal(credential)}`]] : [];
  });

/** Whether a request has something that OpenAPI does not say how to write, so that a service may refuse it. */
export const hasUnspecified = ({ parameters, body }: Draft): boolean =>
  body?.isUnspecified === true || [...parameters].some(([each, value]) => isUnspecified(each, value));

/** Writes a request with secrets that `reveal` gives. */
export const toWire = ({ operation, parameters, body, credentials }: Draft, reveal: Reveal): WireRequest => {
  const query = [
    ...writtenIn('query', parameters),
    ...keysIn('query', credentials, reveal).map(([name, key]) => `${encodeURIComponent(name)}=${key}`),
  ];
  const cookies = [
    ...writtenIn('cookie', parameters),
    ...keysIn('cookie', credentials, reveal).map(([name, key]) => `${name}=${key}`),
  ];
  return {
    method: operation.method,
    target:
      operation.base + pathOf(operation.path, parameters) + (query.length === 0 ? '' : `?${query.join('&')}`),
    headers: [
      ...authorizationOf(credentials, reveal),
      ...keysIn('header', credentials, reveal),
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
