import { once } from 'node:events';
import {
  exchange,
  head,
  openSocket,
  parseReplies,
  postHead,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { type Service, startService } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const THING = '{"id":1,"name":"Lamp"}';

test('a client that waits for 100 Continue gets it, and then the answer', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postHead(`Content-Length: ${THING.length}`, 'Expect: 100-continue', 'Connection: close'));
  await once(socket, 'data');
  socket.write(THING);
  expect(parseReplies(await answer)).toMatchObject([
    { status: 100 },
    { status: 200, body: { name: 'Lamp' } },
  ]);
});

test.each([
  ['an unknown token', 401, head('POST /things', 'Content-Length: 9', 'Expect: 100-continue')],
  ['an unknown path', 404, head('POST /flowers', 'Content-Length: 9', 'Expect: 100-continue')],
  [
    'another media type',
    415,
    postHead('Content-Length: 9', 'Content-Type: text/plain', 'Expect: 100-continue'),
  ],
  ['a body too large', 413, postHead('Content-Length: 900000', 'Expect: 100-continue')],
])(
  'a client that waits for 100 Continue with %s is refused without its body',
  async (_what, status, asked) => {
    const answer = await exchange(service.port, asked);
    expect(parseReplies(answer)).toMatchObject([{ status }]);
    expect(answer).toMatch(/^Connection: close\r$/m); // it is unknown whether the body follows
  },
);

test('a connection serves the next request after a 100 Continue', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postHead(`Content-Length: ${THING.length}`, 'Expect: 100-continue'));
  await once(socket, 'data');
  socket.write(THING + head('GET /healthz', 'Connection: close'));
  expect(parseReplies(await answer)).toMatchObject([{ status: 100 }, { status: 200 }, { status: 200 }]);
});

test('requests whose bodies come along with the expectation are all answered', async () => {
  const thing = (id: number) => `{"id":${id},"name":"Lamp"}`;
  const requests = [11, 12, 13, 14].map((id) => postRequest(thing(id), 'Expect: 100-continue'));
  const last = postRequest(thing(15), 'Expect: 100-continue', 'Connection: close');
  const replies = parseReplies(await exchange(service.port, requests.join('') + last));
  expect(replies.map(({ status }) => status).filter((status) => status !== 100)).toEqual(Array(5).fill(200));
});

test('an expectation that is not known is ignored', async () => {
  const answer = await exchange(service.port, postRequest(THING, 'Expect: nonsense', 'Connection: close'));
  expect(parseReplies(answer)).toMatchObject([{ status: 200, body: { name: 'Lamp' } }]);
});
