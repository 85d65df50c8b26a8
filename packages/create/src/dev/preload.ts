/**
 * Loaded into the service before its own code. The service ends when `npm run dev` ends, even if that is killed. And it
 * asks before it listens: until then, the service that it replaces keeps the port and serves.
 */
import { Server } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const end = (): void => void process.kill(process.pid, 'SIGTERM');
process.on('disconnect', end);
process.channel?.unref(); // the channel alone must not keep the service alive
// It may have been killed already. Threads load this file too, and have no channel.
if (isMainThread && !process.connected) end();

const { listen } = Server.prototype;

const addressOf = (server: Server): string => {
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) return '';
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
};

/** Listens once `npm run dev` has answered. A socket file is the service's own, and needs no answer. */
function listenWhenAllowed(this: Server, ...args: unknown[]): Server {
  if (typeof args[0] === 'string') return Reflect.apply(listen, this, args);
  process.channel?.ref();
  process.once('message', () => {
    process.channel?.unref();
    this.once('listening', () => process.send?.({ listening: addressOf(this) }));
    Reflect.apply(listen, this, args);
  });
  process.send?.({ isReady: true });
  return this;
}

Reflect.set(Server.prototype, 'listen', listenWhenAllowed);
