import { createHandlers } from './handlers.ts';
import { start } from './program/start.ts';
import { openRepository } from './storage/open.ts';

await start({
  openStore: ({ databaseUrl, databaseLimits }, observer) =>
    openRepository(databaseUrl, databaseLimits, { observer }),
  createHandlers,
});
