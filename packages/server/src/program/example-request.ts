import { allOperations, clash, parametersAt, schemeAt } from '@trellis/openapi/document';
import { followRefs, ownMember, pointerTo, toJson, valueAt } from '@trellis/openapi/json';
import { createValues, examplesAt, shellQuote } from '@trellis/openapi/values';
import { createServerPaths } from '../contract/routing/servers.ts';

/** A request to paste into a shell. */
export interface ExampleRequest {
  readonly title: string;
  readonly command: string;
}

/** The name of a token, and the token. */
export interface Credentials {
  readonly name: string;
  readonly token: string;
}

/** A value that a request carries, and where. */
interface SentValue {
  readonly place: string;
  readonly name: string;
  readonly value: unknown;
}

/** Nobody should paste a DELETE to see whether the service runs. */
const METHODS = ['get', 'query', 'post', 'put', 'patch'];

/** A word that no shell takes for anything but itself. */
const PLAIN = /^[\w:/.,@%-]+$/;

const OPTIONS: Readonly<Record<string, (sent: SentValue) => string>> = {
  header: ({ name, value }) => `-H ${shellQuote(`${name}: ${value}`)}`,
  cookie: ({ name, value }) => `-b ${shellQuote(`${name}=${value}`)}`,
  user: ({ name, value }) => `-u ${shellQuote(`${name}:${value}`)}`,
};

const isScalar = ({ value }: SentValue): boolean =>
  value !== undefined && value !== null && typeof value !== 'object';

const urlOf = (address: string, path: string, sent: readonly SentValue[]): string => {
  const encode = (value: unknown) => encodeURIComponent(String(value));
  const filled = sent
    .filter(({ place }) => place === 'path')
    .reduce((url, { name, value }) => url.replace(`{${name}}`, () => encode(value)), path);
  const query = sent.filter(({ place }) => place === 'query');
  const pairs = query.map(({ name, value }) => `${encode(name)}=${encode(value)}`);
  const url = address + filled + (pairs.length > 0 ? `?${pairs.join('&')}` : '');
  return PLAIN.test(url) ? url : shellQuote(url);
};

/**
 * Makes a request out of the contract's examples, for the first operation that a short command can show: its required
 * parameters are single values, and the contract gives an example of its JSON body if it needs one.
 */
export const createExampleRequest = (
  document: unknown,
  address: string,
  { name, token }: Credentials,
): ExampleRequest | undefined => {
  const makeValue = createValues(document);
  const serverPathOf = createServerPaths(document);
  const readAt = (at: string, member: string): unknown => ownMember(valueAt(document, at), member);

  const parametersOf = (itemAt: string, operationAt: string): SentValue[] =>
    parametersAt(document, itemAt, operationAt)
      .filter((parameter) => readAt(parameter, 'required') === true)
      .map((parameter) => ({
        place: String(readAt(parameter, 'in')),
        name: String(readAt(parameter, 'name')),
        value: examplesAt(document, parameter)[0] ?? makeValue(parameter + pointerTo('schema')).value,
      }));

  const credentialsFor = (schemeName: string): SentValue => {
    const scheme = schemeAt(document, schemeName);
    if (scheme?.kind === 'apiKey') return { place: scheme.place, name: scheme.parameter, value: token };
    if (scheme?.kind === 'basic') return { place: 'user', name, value: token };
    return { place: 'header', name: 'Authorization', value: `Bearer ${token}` };
  };

  const isUsable = (schemes: readonly string[]): boolean =>
    schemes.every((scheme) => schemeAt(document, scheme)?.kind) && !clash(document, schemes);

  /** The credentials of the first alternative that a request can satisfy; `undefined` if there is none. */
  const credentialsAt = (operationAt: string): SentValue[] | undefined => {
    const security = readAt(operationAt, 'security') ?? ownMember(document, 'security');
    if (!Array.isArray(security) || security.length === 0) return [];
    const schemes = security.map((requirement) => Object.keys(requirement)).find(isUsable);
    const sent = schemes?.map(credentialsFor);
    const isSame = (one: SentValue, other: SentValue) => one.place === other.place && one.name === other.name;
    return sent?.filter((one, nth) => sent.findIndex((other) => isSame(one, other)) === nth);
  };

  /** The JSON body as text; `undefined` if the contract has no example of one. */
  const bodyAt = (at: string): string | undefined => {
    const [example] = examplesAt(document, at + pointerTo('content', 'application/json'));
    return example === undefined ? undefined : toJson(example);
  };

  const commandFor = (path: string, method: string, itemAt: string): string | undefined => {
    const operationAt = itemAt + pointerTo(method);
    const requestBodyAt = followRefs(document, operationAt + pointerTo('requestBody'));
    const body = bodyAt(requestBodyAt);
    const credentials = credentialsAt(operationAt);
    if (!credentials) return undefined;
    const sent = [
      ...parametersOf(itemAt, operationAt),
      ...credentials,
      ...(body === undefined ? [] : [{ place: 'header', name: 'Content-Type', value: 'application/json' }]),
    ];
    if (!sent.every(isScalar) || (body === undefined && readAt(requestBodyAt, 'required') === true))
      return undefined;
    const isPlain = method === 'get' || (method === 'post' && body !== undefined);
    return [
      'curl -i',
      ...(isPlain ? [] : [`-X ${method.toUpperCase()}`]),
      urlOf(address + serverPathOf(path, method), path, sent),
      ...sent.flatMap((each) => OPTIONS[each.place]?.(each) ?? []),
      ...(body === undefined ? [] : [`-d ${shellQuote(body)}`]),
    ].join(' ');
  };

  for (const { path, method, title, operation, itemAt } of allOperations(document)) {
    const command = METHODS.includes(method) ? commandFor(path, method, itemAt) : undefined;
    if (command !== undefined) return { title: String(operation.summary ?? title), command };
  }
  return undefined;
};
