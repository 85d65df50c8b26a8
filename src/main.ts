import { createHandlers } from './handlers.ts';
import { start } from './program/start.ts';
import { openRepository } from './storage/open.ts';

await start({
  openStore: ({ databaseUrl, databaseLimits }, options) =>
    openRepository(databaseUrl, databaseLimits, options),
  createHandlers,
});
