import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, Server as NetServer } from 'node:net';
import { portOf } from './connections/backlog.ts';
import type { ReceivedRequest } from './observe/exchange.ts';
import { createRequestMetrics } from './observe/metrics.ts';
import { SILENT } from './observe/request-log.ts';
import { createRequestObserver } from './observe/request-observer.ts';
import { refusePlainly } from './reply/reply.ts';

/** How many requests are sent, and how many at a time. After some fifty of them a request takes a third of the CPU. */
const REQUESTS = 64;
const AT_ONCE = 4;

/** The query makes it wait in the queue, where probes do not. */
const REQUEST = 'GET /healthz?start HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

const send = async (port: number): Promise<void> => {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.end(REQUEST).resume();
  await once(socket, 'close');
};

const sendAll = async (port: number): Promise<void> => {
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => send(port)));
};

/** Listens on a port that the system chooses, for this machine only. In a worker, `exclusive` keeps the port from the other workers. */
const listenForNow = (server: NetServer): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', reject);
      resolve(portOf(server));
    });
  });

/**
 * Serves some requests of this process before others can connect. V8 compiles functions when they are first called, and
 * again once they have been called often. With a tenth of a core, a service that has compiled nothing would serve some 15
 * requests in its first second, and fall behind. The requests appear neither in the log nor in the metrics.
 */
export const warmUp = async (server: NetServer): Promise<void> => {
  const metrics = { requests: createRequestMetrics() };
  const observer = createRequestObserver({ log: SILENT, handlerLog: SILENT, metrics, refuse: refusePlainly });
  const startSilently = (request: ReceivedRequest, response: ServerResponse) =>
    void observer.receive(request, response);
  const port = await listenForNow(server).catch(() => undefined);
  if (port === undefined) return; // a machine without 127.0.0.1
  server.prependListener('request', startSilently);
  await sendAll(port).catch(() => {});
  server.off('request', startSilently);
  await new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
};
