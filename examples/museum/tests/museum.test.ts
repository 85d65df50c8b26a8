import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createService, createStaticTokens } from '@trellis/server';
import { createHandlers } from '../src/handlers.ts';
import { PRODUCT } from '../src/product.ts';
import { openStore, type Store } from '../src/store.ts';

/** The database that TEST_DATABASE_URL names, if that is set, and otherwise one in memory. */
const { TEST_DATABASE_URL = 'memory:' } = process.env;

let store: Store;
let server: Server;
let url: string;
beforeAll(async () => {
  store = await openStore({ databaseUrl: TEST_DATABASE_URL });
  const { app } = await createService({
    contract: PRODUCT.contract,
    basePath: '/',
    handlers: createHandlers(store),
    authenticators: createStaticTokens([{ name: 'todd', token: 's3cret' }]),
  });
  server = app.listen(0);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await store.close();
});

const call = async (method: string, path: string, body?: unknown) => {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: `Basic ${btoa('todd:s3cret')}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
};

const TEA = {
  name: 'Time Traveler Tea Party',
  location: 'Temporal Tearoom',
  eventDescription: 'Sip tea with important historical figures.',
  dates: ['2031-05-03', '2031-05-01'],
  price: 60.5,
};
const createEvent = async (): Promise<string> => (await call('POST', '/special-events', TEA)).body.eventId;
const buy = (eventId: string, ticketDate: string) =>
  call('POST', '/tickets', { ticketType: 'event', eventId, ticketDate, email: 'todd@example.com' });

test('an event is created, read, changed and cancelled', async () => {
  const { status, body } = await call('POST', '/special-events', TEA);
  const at = `/special-events/${body.eventId}`;
  expect({ status, body }).toEqual({ status: 201, body: { ...TEA, eventId: expect.any(String) } });
  expect(await call('GET', at)).toEqual({ status: 200, body });
  const changes = { location: 'On the beach', dates: ['2031-06-01'] };
  expect(await call('PATCH', at, changes)).toEqual({ status: 200, body: { ...body, ...changes } });
  expect(await call('DELETE', at)).toEqual({ status: 204, body: undefined });
  for (const method of ['GET', 'DELETE']) expect((await call(method, at)).status).toBe(404);
  expect(await call('PATCH', at, {})).toMatchObject({
    status: 404,
    body: { title: 'There is no such event' },
  });
});

test('events are listed by date, page by page', async () => {
  const names = ['Ants', 'Bees', 'Cats'];
  for (const name of names) await call('POST', '/special-events', { ...TEA, name, dates: ['2041-01-08'] });
  const list = async (query: string): Promise<string[]> =>
    (await call('GET', `/special-events?${query}`)).body.map(({ name }: { name: string }) => name);
  expect(await list('startDate=2041-01-01')).toEqual(names);
  expect(await list('startDate=2041-01-01&limit=2&page=2')).toEqual(['Cats']);
  expect(await list('startDate=2041-01-01&endDate=2041-01-07')).toEqual([]);
});

test('no seat is sold twice, however many buy at once', async () => {
  const eventId = await createEvent();
  const replies = await Promise.all(Array.from({ length: 30 }, () => buy(eventId, '2031-05-01')));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(replies.find(({ status }) => status === 400)?.body.title).toBe('The event is sold out on that date');
  expect((await buy(eventId, '2031-05-03')).status).toBe(201);
  expect((await buy(eventId, '2031-05-02')).body.title).toBe('The event is not on that date');
});

test('a ticket for an event names one that there is', async () => {
  expect((await buy('00000000-0000-4000-8000-000000000000', '2031-05-01')).status).toBe(404);
  const unnamed = await call('POST', '/tickets', { ticketType: 'event', ticketDate: '2031-05-01' });
  expect(unnamed).toMatchObject({ status: 404, body: { title: 'Name the event: eventId' } });
});

test('a ticket has a code to be scanned', async () => {
  const { body } = await call('POST', '/tickets', { ticketType: 'general', ticketDate: '2031-05-01' });
  const headers = { authorization: `Basic ${btoa('todd:s3cret')}` };
  const reply = await fetch(`${url}/tickets/${body.ticketId}/qr`, { headers });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png']);
  const bytes = Buffer.from(await reply.arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
});

test('the museum is closed at weekends, and pages go on where the last one ended', async () => {
  const dates = async (query: string): Promise<string[]> =>
    (await call('GET', `/museum-hours?startDate=2023-09-15&${query}`)).body.map(
      ({ date }: { date: string }) => date,
    );
  expect(await dates('limit=3')).toEqual(['2023-09-15', '2023-09-18', '2023-09-19']);
  expect(await dates('limit=3&page=2')).toEqual(['2023-09-20', '2023-09-21', '2023-09-22']);
  expect(await dates('limit=1&page=1000000000')).toEqual([]);
});
