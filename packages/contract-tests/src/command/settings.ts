import type { Credentials, Header } from '../exchange/credentials.ts';
import type { TransportOptions } from '../exchange/transport.ts';
import type { Selection } from '../selection.ts';
import { isSecret, type ReceiverPlace } from '../webhooks/receiver.ts';
import { type Given, usage } from './options.ts';

const REPORT_KINDS = ['junit', 'json'] as const;

/** A report to write. */
export interface ReportFile {
  readonly kind: (typeof REPORT_KINDS)[number];
  readonly file: string;
}

const MILLISECONDS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const readCount = (name: string, text: string): number => {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw usage(`--${name} must be a whole number above 0, not "${text}"`);
};

/** Parses `500ms`, `90s`, `5m` or `1h`; `unit` applies to a bare number. */
const readDuration = (name: string, text: string, unit: string): number => {
  const [, digits = '', written = unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const duration = Number(digits) * (MILLISECONDS.get(written) ?? 0);
  // The longest timer of Node.
  if (duration > 0 && duration < 2 ** 31) return duration;
  throw usage(`--${name} must be a duration like 90s or 5m, not "${text}"`);
};

const readUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password)
    throw usage('the URL must have no name and no password: give them with --basic');
  if (url && /^https?:$/.test(url.protocol) && url.search + url.hash === '') return text.replace(/\/$/, '');
  throw usage(`the URL must be like http://127.0.0.1:3000, not "${text}"`);
};

/** Parses a port of this machine, or a URL with one. */
const readPlace = (text: string): ReceiverPlace => {
  if (/^\d+$/.test(text)) return { port: Number(text) };
  const { protocol, port, pathname, origin } = new URL(URL.canParse(text) ? text : 'about:blank');
  if (protocol === 'http:' && port !== '' && pathname === '/') return { port: Number(port), url: origin };
  throw usage(`--webhooks must be like 9000 or http://tester.example:9000, not "${text}"`);
};

const readSecret = (text: string): string => {
  if (isSecret(text)) return text;
  throw usage('--webhook-secret must be like whsec_ and base64');
};

/** Checks text that is sent in a header. The message does not repeat it, since it is secret. */
const readCredential = (name: string, text: string): string => {
  if (!/\p{Cc}/u.test(text)) return text;
  throw usage(`--${name} has a character that no header can carry, such as a line feed`);
};

const readKey = (text: string): [name: string, value: string] => {
  const [name = '', ...rest] = text.split('=');
  if (name === '' || rest.length === 0) throw usage('--api-key must be like X-Api-Key=VALUE');
  return [name, readCredential('api-key', rest.join('='))];
};

const readReport = (text: string): ReportFile => {
  const [written = '', ...rest] = text.split('=');
  const kind = REPORT_KINDS.find((known) => known === written);
  const file = rest.join('=');
  if (!kind || file === '')
    throw usage(`--report must be like junit=report.xml or json=report.json, not "${text}"`);
  return { kind, file };
};

const readHeader = (text: string): Header => {
  // A field name is a token, and a value has one byte per character and no controls (RFC 9110, section 5).
  const [, name = '', value = ''] =
    /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\xa0-\xff]*)$/.exec(text) ?? [];
  if (name === '') throw usage(`--header must be like "X-Tenant: acme", not "${text}"`);
  return [name, value];
};

const read = <T>(text: string | undefined, reader: (text: string) => T): T | undefined =>
  text === undefined ? undefined : reader(text);

/** Parses the raw options. Throws one sentence about the first wrong value. */
export const readSettings = (given: Given) => {
  const count = (name: 'concurrency' | 'rate' | 'requests' | 'seed') =>
    read(given[name], (text) => readCount(name, text));
  const duration = (name: 'max-response-time' | 'time' | 'timeout', unit: 'ms' | 's') =>
    read(given[name], (text) => readDuration(name, text, unit));
  const credentials: Credentials = {
    token: read(given.token, (text) => readCredential('token', text)),
    basic: given.basic,
    apiKeys: Object.fromEntries((given['api-key'] ?? []).map(readKey)),
  };
  const selection: Selection = { include: given.include, exclude: given.exclude, phases: given.phase };
  const transport: TransportOptions = {
    timeoutMs: duration('timeout', 'ms'),
    maxResponseTimeMs: duration('max-response-time', 'ms'),
    requestsPerSecond: count('rate'),
  };
  return {
    url: read(given.url, readUrl),
    spec: given.spec,
    basePath: given['base-path'],
    headers: (given.header ?? []).map(readHeader),
    webhooks: read(given.webhooks, readPlace),
    webhookSecret: read(given['webhook-secret'], readSecret),
    credentials,
    selection,
    transport,
    concurrency: count('concurrency'),
    requests: count('requests') ?? 100,
    seed: count('seed'),
    failFast: given['fail-fast'] ?? false,
    timeMs: duration('time', 's'),
    reports: (given.report ?? []).map(readReport),
  };
};

/** The parsed options of the command. */
export type Settings = ReturnType<typeof readSettings>;

/** The parsed options, with the file or the URL of the contract. */
export type NamedSettings = Settings & { readonly spec: string };
