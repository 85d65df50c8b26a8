/** Serves a contract of about a megabyte. Nobody calls its only operation. */
import { serve } from '../measure/serve.ts';

await serve(
  {
    openapi: '3.1.0',
    info: { title: 'A large contract', version: '1.0.0', description: 'Read on. '.repeat(110_000) },
    paths: {
      '/things': { get: { operationId: 'getThings', responses: { '204': { description: 'None' } } } },
    },
  },
  { getThings: async () => ({ status: 204 }) },
);
