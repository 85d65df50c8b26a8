import type { Product } from '../product.ts';
import { type Command, UsageError } from './command-line.ts';

/** The options of `serve`. Each sets a setting, or names a file of settings. */
const SERVE_OPTIONS: NonNullable<Command['options']> = {
  port: { type: 'string' },
  host: { type: 'string' },
  'env-file': { type: 'string', multiple: true },
};

const SETTINGS = { port: 'PORT', host: 'HOST' } as const;

const loadFile = (file: string): void => {
  try {
    process.loadEnvFile(file); // leaves variables that are set as they are
  } catch (error) {
    throw new UsageError(`--env-file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
};

/** Puts the options of `serve` into the environment: an option beats a variable, and a variable beats a file. */
const applyServeOptions = (options: Readonly<Record<string, unknown>>): void => {
  for (const [option, setting] of Object.entries(SETTINGS)) {
    const given = options[option];
    if (given === '') throw new UsageError(`--${option} needs a value`);
    if (typeof given === 'string') process.env[setting] = given;
  }
  for (const file of [options['env-file'] ?? []].flat()) loadFile(String(file));
};

/**
 * `serve`: serves until a signal stops it. `load` imports the module that does so.
 *
 * @example
 * const serve = createServeCommand(() => import('./main.ts'));
 */
export const createServeCommand = (load: () => Promise<unknown>): Command => ({
  options: SERVE_OPTIONS,
  async run({ options }) {
    applyServeOptions(options);
    await load();
    return true;
  },
});

/** The settings of the store, for a service that has one. */
const describeStore = (databaseUrl: string): string => `
  DATABASE_URL [${databaseUrl}]
                                    sqlite:PATH, postgres://… or memory:
  DATABASE_URL_FILE                 a file with that URL, to keep a password secret
  DATABASE_POOL_SIZE [4], DATABASE_CONNECT_TIMEOUT_MS [2000],
  DATABASE_STATEMENT_TIMEOUT_MS [5000]
                                    PostgreSQL only`;

/**
 * The options and settings of `serve`, for its help. `tests/program/serve-help.test.ts` keeps the list complete.
 *
 * @example
 * const help = { serve: renderServeHelp(PRODUCT) };
 */
export const renderServeHelp = ({ databaseUrl = 'none' }: Pick<Product, 'databaseUrl'>): string => `Options:
  --port PORT       instead of the variable PORT
  --host HOST       instead of the variable HOST
  --env-file FILE   read variables from a file (NAME=value, one a line); those that
                    are set already win; may be repeated
  -h, --help        show this help

Settings come from the environment, with their defaults in brackets:
  PORT [3000], HOST [127.0.0.1]     where to listen
  WORKERS [1]                       processes behind that port; auto: one a core${databaseUrl === 'none' ? '' : describeStore(databaseUrl)}
  ACCESS_TOKENS                     name:token, comma-separated
  ACCESS_TOKENS_FILE                a file of such entries, one a line
  JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL
                                    accept the JWTs of an issuer
  MAX_BODY_BYTES [102400]           the largest body that is accepted
  BASE_PATH                         where the operations are; / for none
  CORS_ORIGINS                      origins whose pages may call, or *
  TRUST_PROXY                       whose Forwarded and X-Forwarded-… are believed
  DOCS [on]                         off: no /docs, /openapi.json and /openapi.yaml
  DRAIN_MS [300]                    how long a stop keeps serving
  LOG_LEVEL [info]                  fatal, error, warn, info, debug, trace, silent
  LOG_FORMAT                        json or pretty; pretty on a terminal by default
  OTEL_EXPORTER_OTLP_ENDPOINT       the OpenTelemetry collector that gets traces
  NODE_ENV                          production: tokens are required, stubs answer 501
`;
