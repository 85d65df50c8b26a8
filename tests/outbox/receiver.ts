import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** An event that a receiver got. */
export interface Told {
  readonly id: string;
  readonly key: string;
  readonly n: number;
}

/** How a receiver behaves: it is up, answers 500, answers late, or each time in another way. */
export type Mood = 'up' | 'failing' | 'slow' | 'moody';

const isTold = (value: unknown): value is Told =>
  typeof value === 'object' && value !== null && 'id' in value && 'key' in value && 'n' in value;

/** Starts a receiver of events on a port that the system chooses. It keeps those that it has answered with 200, or would have. */
export const startReceiver = async () => {
  const told: Told[] = [];
  let mood: Mood = 'up';
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(async (request, response) => {
      const event = await json(request).catch(() => undefined); // the service was killed while it sent
      const way =
        mood === 'moody' ? (['up', 'failing', 'slow'] as const)[Math.floor(Math.random() * 3)] : mood;
      if (way === 'failing') return void response.writeHead(500).end();
      if (isTold(event)) told.push(event);
      if (way === 'slow') await sleep(100 + 300 * Math.random());
      response.writeHead(200).end();
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const goDown = () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    told,
    become(next: Mood): void {
      mood = next;
    },
    goDown,
    async comeBack(): Promise<void> {
      server = await listen(port);
    },
  };
};
