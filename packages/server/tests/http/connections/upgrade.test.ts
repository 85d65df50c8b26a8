import {
  head,
  openSocket,
  parseReplies,
  postHead,
  postRequest,
  readToEnd,
} from '@trellis/test-support/raw-http';
import { type Service, startService } from '../../support/service.ts';
import { holdThings, type Thing } from '../../support/things.ts';

let service: Service;
let held: ReturnType<typeof holdThings>;
let asked: bigint[];
beforeEach(async () => {
  held = holdThings();
  asked = [];
  const create = held.things.create;
  const things = {
    ...held.things,
    create: (thing: Thing) => {
      asked.push(thing.id);
      return create(thing);
    },
  };
  service = await startService({ things });
});
afterEach(() => service.close());

const THING = '{"id":1,"name":"Lamp"}';
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];

/** Sends a create that asks for another protocol, then each of the rest by itself; the store answers in the end. */
const answersTo = async (together: string, ...rest: string[]): Promise<string> => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postRequest(THING, ...UPGRADE) + together);
  await held.reached;
  for (const bytes of rest) {
    socket.write(bytes);
    await fetch(`${service.url}/healthz`); // by now the service has had them
  }
  held.release();
  return answer;
};

test('a request that asks for another protocol is served as HTTP/1.1, and closes the connection', async () => {
  const answer = await answersTo('');
  expect(parseReplies(answer)).toMatchObject([{ status: 200, body: { name: 'Lamp' } }]);
  expect(answer).toMatch(/^Connection: close\r$/m);
});

test.each([
  ['in one write', head('GET /healthz'), []],
  ['later', '', [head('GET /healthz')]],
])('a request that follows it %s gets no answer: the client may retry', async (_when, together, rest) => {
  expect(parseReplies(await answersTo(together, ...rest))).toMatchObject([{ status: 200 }]);
});

test('the body of a following request is never taken for a request', async () => {
  const smuggled = postRequest('{"id":666,"name":"Dodder"}');
  const outer = postHead(`Content-Length: ${smuggled.length}`);
  expect(parseReplies(await answersTo(outer, smuggled))).toMatchObject([{ status: 200 }]);
  expect(asked).toEqual([1n]);
});
