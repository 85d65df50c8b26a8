import { serve } from '@trellis/server';
import { createHandlers } from './handlers.ts';
import { errorBody, PRODUCT } from './product.ts';
import { openRepository } from './storage/open.ts';

await serve({
  ...PRODUCT,
  openStore: ({ databaseUrl, databaseLimits }, options) =>
    openRepository(databaseUrl, databaseLimits, options),
  handlers: createHandlers,
  errorBody,
});
