import { type Credentials, shellVariable } from '../exchange/credentials.ts';

/** A header that is sent with every request. */
export type Header = readonly [name: string, value: string];

const LOOKS_SECRET = /auth|token|key|secret|password|cookie|session|credential|signature/i;

const variableOf = (name: string): string => name.toUpperCase().replace(/\W+/g, '_');

const isSecret = ([name]: Header): boolean => LOOKS_SECRET.test(name);

/** Replaces the value of a header that looks like a credential by a variable. */
export const concealHeader = (header: Header): Header =>
  isSecret(header) ? [header[0], shellVariable(variableOf(header[0]))] : header;

/** Shorter values are not redacted: they may occur in any text. */
const SHORTEST = 6;

const secretsOf = ({ token, basic, apiKeys = {} }: Credentials, headers: readonly Header[]): Header[] =>
  [
    ['TOKEN', token ?? ''],
    ['BASIC', basic ?? ''],
    ['BASIC', basic === undefined ? '' : Buffer.from(basic).toString('base64')],
    ['PASSWORD', basic?.slice(basic.indexOf(':') + 1) ?? ''],
    ...Object.entries(apiKeys).map(([name, key]) => [variableOf(name), key] as const),
    ...headers.filter(isSecret).map(([name, value]) => [variableOf(name), value] as const),
  ] satisfies Header[];

/** Creates a function that redacts secrets, which a service may have repeated. */
export const createRedact = (credentials: Credentials, headers: readonly Header[] = []) => {
  const secrets = secretsOf(credentials, headers)
    .flatMap(([name, value]): Header[] => [
      [name, value],
      [name, encodeURIComponent(value)],
    ])
    .filter(([, value]) => value.length >= SHORTEST)
    // Longest first: a secret may contain another one.
    .sort(([, one], [, other]) => other.length - one.length);
  return (text: string): string =>
    secrets.reduce((shown, [name, value]) => shown.replaceAll(value, () => `$${name}`), text);
};
