import { fileURLToPath } from 'node:url';
import { type ServiceProcess, type Settings, startProcess } from '../support/service.ts';
import { TSX } from './stalls/child.ts';

/** The access token of every service that a drill starts. */
export const TOKEN = 'a-token-for-the-drill';

/** The settings of a service as it runs in production. The caller's WORKERS are its own. */
export const settingsFor = (databaseUrl: string): Settings => ({
  ACCESS_TOKENS: TOKEN,
  DATABASE_URL: databaseUrl,
  NODE_ENV: 'production',
  WORKERS: process.env.WORKERS ?? '1',
});

/** Starts the built service on a SQLite file in a folder. */
export const startPlantStore = (folder: string, file: string): Promise<ServiceProcess> =>
  startProcess(folder, settingsFor(`sqlite:${file}`));

/** The setting with which Node runs TypeScript, and the sources of the packages. */
export const FROM_SOURCES = { NODE_OPTIONS: `--conditions=source --import=${TSX}` };

/** Starts a server of the drill from its source. */
export const startSource = (folder: string, source: URL, file: string): Promise<ServiceProcess> =>
  startProcess(folder, { ...settingsFor(`sqlite:${file}`), ...FROM_SOURCES }, fileURLToPath(source));
