import type { NamedToken } from './auth/static-tokens.ts';
import type { PostgresLimits } from './storage/postgres.ts';

/** Everything that the environment decides. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string;
  readonly databaseLimits: PostgresLimits;
  readonly accessTokens: readonly NamedToken[];
  readonly maxBodyBytes: number;
  readonly logLevel: LogLevel;
  readonly production: boolean;
}

/** Where the token is kept that is made up for those who have set none. */
export const FIRST_TOKEN_FILE = 'data/access-token';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

const parseInteger = (name: string, text: string, min: number, max: number): number => {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
};

const parseLogLevel = (text: string): LogLevel => {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level) return level;
  throw new Error(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${text}"`);
};

/** RFC 6750, section 2.1: what fits in an Authorization header. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Errors tell the position of an entry, never the entry: it may be a secret with a slip in it. */
const parseTokens = (text: string): NamedToken[] => {
  const tokens = text.split(',').map((entry, index) => {
    const colon = entry.indexOf(':');
    const name = entry.slice(0, Math.max(colon, 0)).trim() || `token-${index + 1}`;
    const token = entry.slice(colon + 1).trim();
    if (!TOKEN.test(token))
      throw new Error(
        `ACCESS_TOKENS: entry ${index + 1} is no bearer token; use letters, digits and -._~+/ as in name:token`,
      );
    return { name, token };
  });
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length)
    throw new Error('ACCESS_TOKENS: the same token stands there twice; give each name its own');
  return tokens;
};

/** Settings that are promised but not served yet: to ignore one would be to leave a door open. */
const refuseUnserved = (environment: Environment): void => {
  const unserved = ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'].find((name) => environment[name]);
  if (unserved) throw new Error(`${unserved} is set, but JWTs are not served yet; use ACCESS_TOKENS`);
};

/** Reads the configuration. An empty variable counts as unset; a bad value throws, naming it and the remedy. */
export const readConfig = (environment: Environment): Config => {
  const read = (name: string, fallback: string) => environment[name] || fallback;
  const readInteger = (name: string, fallback: number, min: number, max: number) =>
    parseInteger(name, read(name, `${fallback}`), min, max);
  refuseUnserved(environment);
  const accessTokens = environment.ACCESS_TOKENS ? parseTokens(environment.ACCESS_TOKENS) : [];
  const production = environment.NODE_ENV === 'production';
  if (accessTokens.length === 0 && production)
    throw new Error('ACCESS_TOKENS must be set when NODE_ENV is production, as in ACCESS_TOKENS=name:token');
  return {
    accessTokens,
    production,
    port: readInteger('PORT', 3000, 0, 65_535),
    host: read('HOST', '127.0.0.1'),
    databaseUrl: read('DATABASE_URL', 'sqlite:data/plants.db'),
    databaseLimits: {
      poolSize: readInteger('DATABASE_POOL_SIZE', 4, 1, 1000),
      connectTimeout: readInteger('DATABASE_CONNECT_TIMEOUT_MS', 2000, 1, 600_000),
      statementTimeout: readInteger('DATABASE_STATEMENT_TIMEOUT_MS', 5000, 1, 600_000),
    },
    maxBodyBytes: readInteger('MAX_BODY_BYTES', 102_400, 1, 2 ** 30),
    logLevel: parseLogLevel(read('LOG_LEVEL', 'info')),
  };
};

/** Says which setting is to blame where the system does not let the service listen. */
export const explainListenError = (error: unknown, { host, port }: Config): unknown => {
  const remedies: Readonly<Record<string, string>> = {
    EADDRINUSE: `PORT: ${host}:${port} is taken; stop what listens there or set another PORT`,
    EACCES: `PORT: no right to listen on ${port}; set a PORT above 1023`,
    EADDRNOTAVAIL: `HOST: ${host} is no address of this machine; 0.0.0.0 stands for all of them`,
    ENOTFOUND: `HOST: ${host} is not known; use an address such as 127.0.0.1`,
  };
  const code = typeof error === 'object' && error && 'code' in error ? String(error.code) : '';
  return Object.hasOwn(remedies, code) ? new Error(remedies[code], { cause: error }) : error;
};
