import { type Command, UsageError } from './command-line.ts';

/** The options of `serve`. Each stands for a setting, or for a file of settings. */
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

/** `serve`: serves until a signal stops it. `load` imports the module that does so. */
export const createServeCommand = (load: () => Promise<unknown>): Command => ({
  options: SERVE_OPTIONS,
  async run({ options }) {
    applyServeOptions(options);
    await load();
    return true;
  },
});
