import { once } from 'node:events';
import {
  exchange,
  head,
  openSocket,
  parseReplies,
  postHead,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { post, read, type Service, startService } from '../../support/service.ts';
import { createThings, type Things } from '../../support/things.ts';

const stored: bigint[] = [];
const things: Things = {
  ...createThings(),
  async create({ id }) {
    stored.push(id);
    return 'created';
  },
};

let service: Service;
beforeAll(async () => {
  service = await startService({ things, timeouts: { headers: 250, request: 500 } });
});
beforeEach(() => {
  stored.length = 0;
});
afterAll(() => service.close());

const TOO_SLOW = [
  { status: 408, type: 'application/json', body: { error: 40801, message: expect.any(String) } },
];
const THING = '{"id":1,"name":"Late"}';
const HEAD = postHead(`Content-Length: ${THING.length}`);

test.each([
  ['nothing at all', ''],
  ['half a header', HEAD.slice(0, 30)],
  ['a header and half a body', HEAD + THING.slice(0, 5)],
])('a client that sends %s and then waits is answered 408 in the Error shape', async (_name, bytes) => {
  expect(parseReplies(await exchange(service.port, bytes))).toEqual(TOO_SLOW);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});

test.each([
  ['header', 30],
  ['body', HEAD.length + 5],
])('a thing whose %s came too late is not stored when the rest arrives after all', async (_part, cut) => {
  const whole = HEAD + THING;
  const socket = await openSocket(service.port, { allowHalfOpen: true });
  const answer = readToEnd(socket);
  socket.write(whole.slice(0, cut));
  await once(socket, 'data');
  socket.end(whole.slice(cut));
  expect(parseReplies(await answer)).toEqual(TOO_SLOW);

  expect((await read(post(service, '{"id":2,"name":"In time"}'))).status).toBe(200);
  expect(stored).toEqual([2n]);
});

test('a client that was answered early and never sends its body is let go without another answer', async () => {
  const answer = await exchange(service.port, head('POST /things', 'Content-Length: 20'));
  expect(parseReplies(answer)).toMatchObject([{ status: 401 }]);
});
