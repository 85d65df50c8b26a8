import { type ServiceProcess, type Settings, startProcess } from '../support/service.ts';

/** The access token of every service that a drill starts. */
export const TOKEN = 'a-token-for-the-drill';

/** The settings of a service as it runs in production. */
export const settingsFor = (databaseUrl: string): Settings => ({
  ACCESS_TOKENS: TOKEN,
  DATABASE_URL: databaseUrl,
  NODE_ENV: 'production',
});

/** Starts the built service on a SQLite file in a folder. */
export const startPlantStore = (folder: string, file: string): Promise<ServiceProcess> =>
  startProcess(folder, settingsFor(`sqlite:${file}`));
