/** Fastify with one commit for each request. */
import { create } from '../servers/single-commits.ts';
import { serveByFastify } from './fastify-app.ts';

await serveByFastify(create);
