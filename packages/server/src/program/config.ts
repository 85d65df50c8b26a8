import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { codeOf } from '@trellis/openapi/internal/json';
import type { AuthSettings } from '../auth/open.ts';
import { readAuthSettings } from '../auth/settings.ts';
import type { Product } from './product.ts';
import { readTracing } from './tracing/settings.ts';

/** The settings of the store, and of what may be written to it. */
export interface StoreConfig {
  readonly databaseUrl: string;
  /** How the service uses PostgreSQL; times in milliseconds. */
  readonly databaseLimits: {
    readonly poolSize: number;
    readonly connectTimeout: number;
    readonly statementTimeout: number;
  };
  readonly maxBodyBytes: number;
}

/** All settings. */
export interface Config extends StoreConfig, AuthSettings {
  readonly port: number;
  readonly host: string;
  /** How many processes serve behind one port. */
  readonly workers: number;
  readonly logLevel: LogLevel;
  /** `undefined` leaves it to the output: lines for people on a terminal, JSON elsewhere. */
  readonly logFormat: LogFormat | undefined;
  /** The path that the operations of the contract are under; `undefined` leaves that to the contract. */
  readonly basePath: string | undefined;
  /** The origins whose pages may call the service; `*` matches all. */
  readonly corsOrigins: readonly string[];
  /** The proxies whose `Forwarded` and `X-Forwarded-…` are believed: addresses, ranges of them, and Express's names of ranges. */
  readonly trustProxy: readonly string[];
  /** How long a stopping service keeps serving after /readyz has turned to 503, in milliseconds. */
  readonly drainMs: number;
  readonly production: boolean;
  /** Whether the service shows its contract: /docs, /openapi.json and /openapi.yaml. */
  readonly showsContract: boolean;
  /** Whether requests are traced. */
  readonly tracing: boolean;
}

/** The file of the token that the service makes when none is configured. */
export const FIRST_TOKEN_FILE = 'data/access-token';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_FORMATS = ['json', 'pretty'] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Parses a whole number of a range. Throws an error that names the setting. */
const parseInteger = (name: string, text: string, min: number, max: number, or = ''): number => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number from ${min} to ${max}${or}, not "${text}"`);
};

/** Parses a value of an enumeration. Throws an error that names the setting. */
const parseChoice = <Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice => {
  const choice = choices.find((known) => known === text);
  if (choice) return choice;
  throw new Error(`${name} must be one of ${choices.join(', ')}, not "${text}"`);
};

/** Segments without `.` and `..`, as in a URL. */
const BASE_PATH = /^\/(?:(?!\.\.?(?:\/|$))(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})+(?:\/|$))*$/i;

const parseBasePath = (text: string): string => {
  if (BASE_PATH.test(text)) return text;
  throw new Error(`BASE_PATH must be a path such as /v1, or / for none, not "${text}"`);
};

/** An origin as a browser sends it: a host in lower case, and no port that its scheme implies. */
const parseOrigin = (text: string): string => {
  const isOrigin = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\]+$/i.test(text) && URL.canParse(text);
  if (!isOrigin || text.includes('*'))
    throw new Error(
      `CORS_ORIGINS must be * alone, or origins such as https://app.example, separated by commas, not "${text}"`,
    );
  const { origin } = new URL(text);
  return origin === 'null' ? text.toLowerCase() : origin; // the standard gives other schemes than http(s) none
};

/** Parses `CORS_ORIGINS`. Throws an error that names the setting and the entry. */
const parseOrigins = (text: string): readonly string[] =>
  text === '*' ? [text] : text.split(',').map((origin) => parseOrigin(origin.trim()));

/** The ranges that Express knows by name. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether a text is an address, or a range such as `10.0.0.0/8`. A range of all addresses (`/0`) is refused. */
const isRange = (text: string): boolean => {
  const [, address = '', bits = '1'] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const longest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return Number(bits) >= 1 && Number(bits) <= longest;
};

/** Parses `TRUST_PROXY`. Throws an error that names the setting and the entry. */
const parseProxies = (text: string): readonly string[] =>
  text.split(',').map((entry) => {
    const proxy = entry.trim();
    if (RANGES.includes(proxy) || isRange(proxy)) return proxy;
    throw new Error(
      `TRUST_PROXY must be addresses such as 10.0.0.7, ranges such as 10.0.0.0/8, ${RANGES.join(', ')}, separated by commas, not "${proxy}"`,
    );
  });

const parseWorkers = (text: string): number =>
  text === 'auto' ? availableParallelism() : parseInteger('WORKERS', text, 1, 256, ' or `auto`');

/**
 * A secret, from a variable or from the file that its other variable names; both together would hide a mistake. An error
 * repeats neither: the name of the file may be a password that was mixed up.
 */
const readSecret = (environment: Environment, name: string): string | undefined => {
  const file = environment[`${name}_FILE`];
  if (!file) return environment[name];
  if (environment[name]) throw new Error(`${name} and ${name}_FILE are both set; unset one of them`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`${name}_FILE: the file cannot be read: ${codeOf(error)}`, { cause: error });
  }
};

/** An empty variable counts as unset. */
const readerOf = (environment: Environment) => {
  const read = (name: string, fallback: string) => environment[name] || fallback;
  const readInteger = (name: string, fallback: number, min: number, max: number) =>
    parseInteger(name, read(name, `${fallback}`), min, max);
  return { read, readInteger };
};

/**
 * Reads the settings of the store alone, for commands that do not serve HTTP.
 *
 * @example
 * const { databaseUrl } = readStoreConfig(process.env, PRODUCT);
 */
export const readStoreConfig = (
  environment: Environment,
  { databaseUrl = 'none' }: Pick<Product, 'databaseUrl'>,
): StoreConfig => {
  const { readInteger } = readerOf(environment);
  return {
    databaseUrl: readSecret(environment, 'DATABASE_URL') || databaseUrl,
    databaseLimits: {
      poolSize: readInteger('DATABASE_POOL_SIZE', 4, 1, 1000),
      connectTimeout: readInteger('DATABASE_CONNECT_TIMEOUT_MS', 2000, 1, 600_000),
      statementTimeout: readInteger('DATABASE_STATEMENT_TIMEOUT_MS', 5000, 1, 600_000),
    },
    maxBodyBytes: readInteger('MAX_BODY_BYTES', 102_400, 1, 2 ** 30),
  };
};

/** Reads all settings. An empty variable counts as unset; a bad value throws an error that names it and the remedy. */
export const readConfig = (environment: Environment, product: Pick<Product, 'databaseUrl'>): Config => {
  const { read, readInteger } = readerOf(environment);
  return {
    ...readStoreConfig(environment, product),
    ...readAuthSettings(environment),
    production: environment.NODE_ENV === 'production',
    port: readInteger('PORT', 3000, 0, 65_535),
    host: read('HOST', '127.0.0.1'),
    workers: parseWorkers(read('WORKERS', '1')),
    logLevel: parseChoice('LOG_LEVEL', read('LOG_LEVEL', 'info'), LOG_LEVELS),
    logFormat: environment.LOG_FORMAT
      ? parseChoice('LOG_FORMAT', environment.LOG_FORMAT, LOG_FORMATS)
      : undefined,
    basePath: environment.BASE_PATH ? parseBasePath(environment.BASE_PATH) : undefined,
    corsOrigins: environment.CORS_ORIGINS ? parseOrigins(environment.CORS_ORIGINS) : [],
    trustProxy: environment.TRUST_PROXY ? parseProxies(environment.TRUST_PROXY) : [],
    drainMs: readInteger('DRAIN_MS', 300, 0, 600_000),
    showsContract: parseChoice('DOCS', read('DOCS', 'on'), ['on', 'off']) === 'on',
    tracing: readTracing(environment),
  };
};
