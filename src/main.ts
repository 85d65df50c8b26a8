import { serve } from '@trellis/server';
import { errorBody } from './error-body.ts';
import { createHandlers } from './handlers.ts';
import { PRODUCT } from './product.ts';
import { openStore } from './store.ts';

await serve({ ...PRODUCT, openStore, handlers: createHandlers, errorBody });
