import { serve } from '@trellis/server';
import { createHandlers } from './handlers.ts';
import { errorBody, PRODUCT } from './product.ts';
import { openStore } from './store.ts';

await serve({
  ...PRODUCT,
  openStore,
  handlers: createHandlers,
  errorBody,
  background: ({ outbox }) => [outbox.task],
});
