/** Fastify in two processes behind one port, by node:cluster as Node documents it. Each has its own connection to SQLite. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { announce } from '../servers/settings.ts';

if (cluster.isPrimary) {
  cluster.setupPrimary({ silent: true }); // each would announce itself
  const workers = [cluster.fork(), cluster.fork()];
  const addresses = await Promise.all(workers.map((worker) => once(worker, 'listening')));
  announce(`http://127.0.0.1:${addresses[0]?.[0].port}`);
} else await import('./fastify.ts');
