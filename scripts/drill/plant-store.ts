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

/** The loader that lets Node run TypeScript. */
export const TSX = new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;

/** The setting with which Node runs TypeScript, and the sources of the packages. */
export const FROM_SOURCES = { NODE_OPTIONS: `--conditions=source --import=${TSX}` };
