/**
 * The museum of `examples/museum`, written by hand on Fastify and Kysely as their documentation shows: one process, on
 * SQLite, with one commit for each write. It has no log, no metrics and no health checks.
 */
import { createApp } from './app.ts';
import { openDatabase } from './database.ts';
import { createPublish, deliverMessages } from './webhooks.ts';

const { DATABASE_URL = 'sqlite:museum.db', ACCESS_TOKENS = '', PORT = '3000' } = process.env;
const { SUBSCRIBERS = '', WEBHOOK_SECRET = '' } = process.env;

const db = await openDatabase(DATABASE_URL.replace(/^sqlite:/, ''));
const publish = createPublish(SUBSCRIBERS.split(',').filter(Boolean));
const app = await createApp(db, ACCESS_TOKENS, publish);
const stop = new AbortController();
const delivering = deliverMessages(db, WEBHOOK_SECRET, stop.signal);
process.once('SIGTERM', async () => {
  stop.abort();
  await app.close();
  await delivering;
  await db.destroy();
});
const address = await app.listen({ host: '127.0.0.1', port: Number(PORT) });
console.log(JSON.stringify({ msg: 'listening', address }));
