/** Clients of streams in a process of their own: they read slowly, count the events that they get, or send for ever. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { onQuestion } from '../stalls/child.ts';

/** What one client has seen. */
interface Seen {
  readonly sending: ClientRequest;
  readonly closed: Promise<unknown>;
  reply: IncomingMessage | undefined;
  events: number;
  /** Whether the events came in their order, each once. */
  isInOrder: boolean;
  end: 'complete' | 'cut' | undefined;
}

const clients: Seen[] = [];

const readEvents = (seen: Seen, reply: IncomingMessage): void => {
  let text = '';
  reply.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const complete = text.split('\n\n');
    text = complete.pop() ?? '';
    for (const event of complete.filter((each) => each.startsWith('data: '))) {
      seen.events += 1;
      if (event !== `data: {"n":${seen.events}}`) seen.isInOrder = false;
    }
  });
};

/** Reads what is there about once a second, so that the service has to wait for this client. */
const readSlowly = async (seen: Seen, reply: IncomingMessage): Promise<void> => {
  while (seen.end === undefined) {
    void (reply.read(1024) ?? reply.read());
    await sleep(1000);
  }
};

const PIECE = Buffer.alloc(64 * 1024, 'x');

/** Sends pieces for ever, ten a second at most. */
const upload = async (seen: Seen, sending: ClientRequest): Promise<void> => {
  while (seen.end === undefined) {
    if (!sending.write(PIECE)) await Promise.race([once(sending, 'drain'), seen.closed]);
    await sleep(100);
  }
};

const open = (url: string): Promise<void> => {
  const isUpload = url.endsWith('/uploads');
  const sending = request(url, { agent: false, method: isUpload ? 'PUT' : 'GET' });
  const seen: Seen = {
    sending,
    reply: undefined,
    events: 0,
    isInOrder: true,
    end: undefined,
    closed: new Promise((resolve) => sending.on('close', resolve)),
  };
  clients.push(seen);
  sending
    .on('error', () => {})
    .on('close', () => {
      seen.end = seen.reply?.complete ? 'complete' : 'cut';
    });
  if (isUpload) {
    sending.setHeader('Content-Type', 'application/octet-stream');
    void upload(seen, sending);
  } else sending.end();
  return new Promise((resolve) => {
    if (isUpload) resolve();
    sending.on('response', (reply) => {
      seen.reply = reply.on('error', () => {});
      if (url.endsWith('/bytes')) void readSlowly(seen, reply);
      else readEvents(seen, reply);
      resolve();
    });
  });
};

const count = (accepts: (seen: Seen) => boolean): number => clients.filter(accepts).length;

/** How many connect at a time: the backlog of a listener is short. */
const BATCH = 100;

onQuestion(async (question, url, number) => {
  const batches = question === 'open' ? Number(number) / BATCH : 0;
  for (let nth = 0; nth < batches; nth += 1)
    await Promise.all(Array.from({ length: BATCH }, () => open(String(url))));
  if (question === 'read on') for (const { reply } of clients) reply?.resume();
  if (question === 'leave') for (const { sending } of clients.splice(0)) sending.destroy();
  if (question === 'see')
    return {
      events: Math.min(...clients.map(({ events }) => events)),
      disordered: count(({ isInOrder }) => !isInOrder),
      complete: count(({ end }) => end === 'complete'),
      cut: count(({ end }) => end === 'cut'),
    };
  return null;
});
