/** Hides each private part of Node that the server uses, as a later Node may lack it: the server must still serve. */
import type { Server } from 'node:http';
import {
  head,
  openMany,
  openSocket,
  parseReplies,
  postHead,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { post, read, type Service, startService } from '../../support/service.ts';
import { holdThings } from '../../support/things.ts';

type Hide = (server: Server) => void;

/** Hides a member of an object, and gives back the function that shows it again. */
const hideMember = (holder: unknown, name: string): (() => void) => {
  if (typeof holder !== 'object' || holder === null || !(name in holder))
    throw new Error(`Node has no ${name} to hide`);
  const own = Object.getOwnPropertyDescriptor(holder, name);
  Object.defineProperty(holder, name, { value: undefined, configurable: true, writable: true });
  return () => void (own ? Object.defineProperty(holder, name, own) : Reflect.deleteProperty(holder, name));
};

/** Hides the parser of each new connection from our server, but not from Node. */
const hideParsers: Hide = (server) => {
  const [node, ...ours] = server.listeners('connection');
  if (!node || ours.length === 0) throw new Error('our server does not see connections');
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    Reflect.apply(node, server, [socket]);
    const show = hideMember(socket, 'parser');
    for (const each of ours) Reflect.apply(each, server, [socket]);
    show();
  });
};

const PARTS: readonly (readonly [name: string, hide: Hide])[] = [
  ['nothing', () => {}],
  ['the parser of a connection', hideParsers],
  ['the length of the backlog', (server) => void hideMember(Reflect.get(server, '_handle'), 'listen')],
];

describe.each(PARTS)('in a Node that lacks %s', (_name, hide) => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ maxBodyBytes: 1000 });
    hide(service.server);
  });
  afterEach(() => service.stop(1000));

  const thing = (id: number) => `{"id":${id},"name":"Lamp"}`;

  test('requests are served, one after the other on a connection', async () => {
    for (let id = 0; id < 3; id += 1)
      expect(await read(post(service, thing(id)))).toEqual({ status: 200, body: { name: 'Lamp' } });
  });

  test('pipelined requests are answered in their order', async () => {
    const socket = await openSocket(service.port);
    const answer = readToEnd(socket);
    const ids = Array.from({ length: 12 }, (_, id) => id);
    socket.write(
      ids.map((id) => postRequest(thing(id))).join('') + head('GET /healthz', 'Connection: close'),
    );
    expect(parseReplies(await answer).map(({ body }) => body)).toEqual([
      ...ids.map(() => ({ name: 'Lamp' })),
      { status: 'ok' },
    ]);
  });

  test('a crowd that pipelines is served, and others beside it', async () => {
    const crowd = await openMany(service.port, 150);
    const answers = crowd.map(readToEnd);
    for (const socket of crowd)
      socket.write(head('GET /healthz').repeat(8) + head('GET /healthz', 'Connection: close'));
    expect(await read(post(service, thing(1)))).toMatchObject({ status: 200 });
    for (const answer of await Promise.all(answers))
      expect(parseReplies(answer).map(({ status }) => status)).toEqual(Array(9).fill(200));
  });

  test('a body that is too large is refused with an answer that its client gets to see', async () => {
    const socket = await openSocket(service.port);
    const answer = readToEnd(socket);
    socket.write(postHead('Content-Length: 200000', 'Connection: close') + 'x'.repeat(200_000));
    expect(parseReplies(await answer)).toMatchObject([{ status: 413, body: { error: 41301 } }]);
  });

  test('malformed HTTP gets its answer after the answer to the request before it', async () => {
    const socket = await openSocket(service.port);
    const answer = readToEnd(socket);
    socket.write(`${postRequest(thing(1))}garbage\r\n\r\n`);
    expect(parseReplies(await answer).map(({ status }) => status)).toEqual([200, 400]);
  });

  test('a stop waits for the requests in flight and closes idle connections', async () => {
    await service.stop(1000);
    const held = holdThings();
    service = await startService({ things: held.things });
    hide(service.server);
    const idle = await openSocket(service.port);
    const idleEnd = readToEnd(idle);
    idle.write(head('GET /healthz'));
    const reply = read(post(service, thing(1)));
    await held.reached;
    const stopped = service.stop(600_000);
    await idleEnd;
    held.release();
    expect(await reply).toEqual({ status: 200, body: { name: 'Lamp' } });
    await stopped;
  });
});
