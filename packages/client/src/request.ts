import { isParameterHeader, writePairs, writeSegment } from '@trellis/openapi/internal/http';
import { writeBody } from './body.ts';
import { type Credentials, chooseCredentials } from './credentials.ts';
import type { Operation } from './operation.ts';

/** A request that is about to be sent. */
export interface OutgoingRequest {
  readonly operation: Operation;
  /** How often it was sent before. */
  readonly retries: number;
  url: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;
}

/** A request that was sent, with its response or its error. */
export interface Attempt extends OutgoingRequest {
  readonly response?: Response;
  readonly error?: unknown;
}

/** How requests are sent; a call may override it. */
export interface CallOptions {
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Milliseconds until a call fails, retries included. A stream must begin by then. */
  readonly timeout?: number;
  /** Resolves to whether the request is sent again, after any wait. `retries` creates such a function. */
  readonly retry?: (attempt: Attempt) => boolean | Promise<boolean>;
}

/** A request of any operation. The types of an operation say which of it there is. */
export interface AnyRequest extends CallOptions {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly cookie?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly stream?: boolean;
}

/** A longer `Accept` would make browsers send a preflight request (Fetch, section 2.2.2). */
const LONGEST_ACCEPT = 128;

/** `fetch` would take a segment of dots out of the path, and another operation would answer. */
const checkPath = (path: string): string => {
  if (path.split('/').some((segment) => segment === '.' || segment === '..'))
    throw new TypeError(`${path} cannot be sent: "." and ".." are no values for a parameter in a path`);
  return path;
};

const writePath = ({ path, parameters = [] }: Operation, values: AnyRequest['path'] = {}): string => {
  const written = new Map(
    parameters
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => {
        const value = values[parameter.name];
        const text = value === undefined ? '' : writeSegment(parameter, value, encodeURIComponent);
        if (text === '') throw new TypeError(`path.${parameter.name} is missing or empty`);
        return [parameter.name, text];
      }),
  );
  return checkPath(path.replace(/\{([^}]*)\}/g, (template, name) => written.get(name) ?? template));
};

/** The media types that can be read, JSON first; none where that would be too long. */
const acceptOf = ({ replies }: Operation): string | undefined => {
  const names = new Set(Object.values(replies).flatMap((contents) => Object.keys(contents)));
  const isJson = (name: string): number => Number(/[/+]json\b/.test(name));
  const accept = [...names].sort((one, other) => isJson(other) - isJson(one)).join(', ');
  return accept === '' || accept.length > LONGEST_ACCEPT ? undefined : accept;
};

/** A request as `fetch` takes it. */
export const writeRequest = async (
  operation: Operation,
  base: string,
  credentials: Credentials,
  request: AnyRequest,
): Promise<{ url: string; init: RequestInit & { headers: Headers } }> => {
  const pairs: Record<'query' | 'cookie', string[][]> = { query: [], cookie: [] };
  const headers = new Headers();
  const accept = acceptOf(operation);
  if (accept !== undefined) headers.set('accept', accept);
  for (const parameter of operation.parameters ?? []) {
    const value = request[parameter.in]?.[parameter.name];
    if (value === undefined || parameter.in === 'path') continue;
    if (parameter.in !== 'header') pairs[parameter.in].push(...writePairs(parameter, parameter.name, value));
    else if (isParameterHeader(parameter.name))
      headers.set(
        parameter.name,
        writeSegment(parameter, value, (text) => text),
      );
  }
  for (const { in: place, name, value } of await chooseCredentials(operation, credentials)) {
    if (place === 'header') headers.set(name, value);
    else pairs[place].push([encodeURIComponent(name), encodeURIComponent(value)]);
  }
  const { body, contentType } =
    request.body === undefined ? {} : writeBody(operation.bodies ?? {}, request.body, request.mediaType);
  if (contentType !== undefined) headers.set('content-type', contentType);
  const join = (place: 'query' | 'cookie', separator: string) =>
    pairs[place].map((pair) => pair.join('=')).join(separator);
  if (pairs.cookie.length > 0) headers.set('cookie', join('cookie', '; '));
  for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name, value);
  const query = pairs.query.length > 0 ? `?${join('query', '&')}` : '';
  // A redirect is not followed: `fetch` would send API keys along to whatever origin it names.
  const init = {
    method: operation.method,
    headers,
    redirect: 'manual' as const,
    ...(body !== undefined && { body }),
    ...(body instanceof ReadableStream && { duplex: 'half' as const }),
  };
  return { url: base + writePath(operation, request.path) + query, init };
};
