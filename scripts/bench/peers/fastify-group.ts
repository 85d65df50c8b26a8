/** Fastify with group commit, as a good engineer would write it who needs no log and no metrics. */
import { createTogether } from '../servers/group-commits.ts';
import { serveByFastify } from './fastify-app.ts';

await serveByFastify(createTogether);
