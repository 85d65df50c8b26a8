import { once } from 'node:events';
import { exchange, openSocket, parseReplies, postHead, postRequest, readToEnd } from '../support/raw-http.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const PLANT = '{"id":1,"name":"Fern"}';

test('a client that waits for 100 Continue is told to go on, and then answered', async () => {
  const socket = await openSocket(service.port);
  const answer = readToEnd(socket);
  socket.write(postHead(`Content-Length: ${PLANT.length}`, 'Expect: 100-continue', 'Connection: close'));
  await once(socket, 'data');
  socket.write(PLANT);
  expect(parseReplies(await answer)).toMatchObject([
    { status: 100 },
    { status: 200, body: { name: 'Fern' } },
  ]);
});

test('an expectation that is not known is ignored', async () => {
  const answer = await exchange(service.port, postRequest(PLANT, 'Expect: nonsense', 'Connection: close'));
  expect(parseReplies(answer)).toMatchObject([{ status: 200, body: { name: 'Fern' } }]);
});
