import type { Settings } from '../support/service.ts';

/** The access token of every service that a drill starts. */
export const TOKEN = 'a-token-for-the-drill';

/** The settings of a service as it runs in production. The caller's WORKERS are its own. */
export const settingsFor = (databaseUrl: string): Settings => ({
  ACCESS_TOKENS: TOKEN,
  DATABASE_URL: databaseUrl,
  NODE_ENV: 'production',
  WORKERS: process.env.WORKERS ?? '1',
});
