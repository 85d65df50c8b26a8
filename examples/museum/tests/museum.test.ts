import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createService, createStaticTokens } from '@trellis/server';
import { expect } from 'expect';
import { createHandlers } from '../src/handlers.ts';
import { PRODUCT } from '../src/product.ts';
import { openStore, type Store } from '../src/store.ts';

/** The database that TEST_DATABASE_URL names, if that is set, and otherwise one in memory. */
const { TEST_DATABASE_URL = 'memory:' } = process.env;

let store: Store;
let server: Server;
let url: string;
before(async () => {
  store = await openStore({ databaseUrl: TEST_DATABASE_URL });
  const tokens = createStaticTokens([
    { name: 'ann', token: 'of-ann', scopes: ['staff'] },
    { name: 'todd', token: 'of-todd' },
    { name: 'tess', token: 'of-tess' },
  ]);
  const { app } = await createService(
    { ...PRODUCT, openStore: async () => store, handlers: createHandlers },
    { basePath: '/', tokens },
  );
  server = app.listen(0);
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.close();
  await store.close();
});

/** Sends a request: by default of Ann, who is staff. */
const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const { as = 'ann', ...others } = headers;
  const authorization = `Basic ${btoa(`${as}:of-${as}`)}`;
  const reply = await fetch(url + path, {
    method,
    headers: { authorization, 'content-type': 'application/json', ...others },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type')?.includes('json');
  return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(text) : text };
};

const TEA = {
  name: 'Time Traveler Tea Party',
  location: 'Temporal Tearoom',
  eventDescription: 'Sip tea with important historical figures.',
  dates: ['2031-05-03', '2031-05-01'],
  price: 60.5,
};
const createEvent = async (): Promise<string> => (await call('POST', '/special-events', TEA)).body.eventId;
const buy = (eventId: string, ticketDate = '2031-05-01', as = 'todd') =>
  call('POST', '/tickets', { ticketType: 'event', eventId, ticketDate, email: 'todd@example.com' }, { as });
const buyEntry = async (): Promise<string> => {
  const { body } = await call(
    'POST',
    '/tickets',
    { ticketType: 'general', ticketDate: '2031-05-01' },
    { as: 'todd' },
  );
  return `/tickets/${body.ticketId}`;
};

test('an event is created, read, changed and cancelled', async () => {
  const { status, body } = await call('POST', '/special-events', TEA);
  const at = `/special-events/${body.eventId}`;
  expect({ status, body }).toEqual({ status: 201, body: { ...TEA, eventId: expect.any(String) } });
  expect(await call('GET', at)).toMatchObject({ status: 200, body });
  const changes = { location: 'On the beach', dates: ['2031-06-01'] };
  expect(await call('PATCH', at, changes)).toMatchObject({ status: 200, body: { ...body, ...changes } });
  expect(await call('DELETE', at)).toMatchObject({ status: 204, body: '' });
  for (const method of ['GET', 'DELETE']) expect((await call(method, at)).status).toBe(404);
  expect(await call('PATCH', at, {})).toMatchObject({
    status: 404,
    body: { title: 'Not Found', detail: 'there is no such event' },
  });
});

test('an event is changed and cancelled only if it is still as the client knows it', async () => {
  const created = await call('POST', '/special-events', TEA);
  const at = `/special-events/${created.body.eventId}`;
  const tagOf = ({ headers }: { headers: Headers }): string => headers.get('etag') ?? '';
  const old = { 'if-match': tagOf(created) };
  expect(tagOf(await call('GET', at))).toBe(tagOf(created));
  const changes = await Promise.all([1, 2, 3].map((price) => call('PATCH', at, { price }, old)));
  expect(changes.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  const known = { 'if-none-match': tagOf(created) };
  const current = await call('GET', at, undefined, known);
  expect(current.body).toEqual(changes.find(({ status }) => status === 200)?.body);
  expect((await call('GET', at, undefined, { 'if-none-match': tagOf(current) })).status).toBe(304);
  expect((await call('DELETE', at, undefined, old)).status).toBe(412);
  expect((await call('DELETE', at, undefined, { 'if-match': tagOf(current) })).status).toBe(204);
});

describe('events are listed by date', () => {
  const names = ['Ants', 'Bees', 'Cats', 'Dogs', 'Eels'];
  before(async () => {
    for (const name of names) await call('POST', '/special-events', { ...TEA, name, dates: ['2041-01-08'] });
  });
  const list = async (query: string) => {
    const { body, headers } = await call('GET', `/special-events?${query}`);
    const [, next] = /<\?(.*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    const names: string[] = body.map(({ name }: { name: string }) => name);
    return { names, next };
  };

  test('page by page', async () => {
    const all = await list(`startDate=2041-01-01&limit=${names.length}`);
    expect([all.names.toSorted(), all.next]).toEqual([names, undefined]);
    expect((await list('startDate=2041-01-01&limit=2&page=2')).names).toEqual(all.names.slice(2, 4));
    expect((await list('startDate=2041-01-01&endDate=2041-01-07')).names).toEqual([]);
  });

  test('from each page to the next one, whatever is deleted meanwhile', async () => {
    const query = 'startDate=2041-01-01&limit=2';
    const all = await list('startDate=2041-01-01');
    const first = await list(query);
    for (const { eventId } of (await call('GET', `/special-events?${query}`)).body)
      await call('DELETE', `/special-events/${eventId}`);
    const second = await list(first.next ?? '');
    const third = await list(second.next ?? '');
    expect([first, second, third].map((page) => page.names)).toEqual(
      [0, 2, 4].map((start) => all.names.slice(start, start + 2)),
    );
    expect(third.next).toBeUndefined();
    const beyondInt64 = btoa('"99999999999999999999 00000000-0000-4000-8000-000000000000"');
    for (const cursor of ['nowhere', beyondInt64])
      expect((await call('GET', `/special-events?cursor=${cursor}`)).status).toBe(400);
  });
});

test('no seat is sold twice, however many buy at once', async () => {
  const eventId = await createEvent();
  const replies = await Promise.all(Array.from({ length: 30 }, () => buy(eventId)));
  const sold = replies.filter(({ status }) => status === 201);
  expect(sold).toHaveLength(20);
  expect(replies.find(({ status }) => status === 409)?.body.detail).toBe(
    'the event is sold out on that date',
  );
  expect((await buy(eventId, '2031-05-03')).status).toBe(201);
  expect((await buy(eventId, '2031-05-02')).body.detail).toBe('the event is not on that date');

  await call('POST', `/tickets/${sold[0]?.body.ticketId}/refund`, undefined, { as: 'todd' });
  const again = await Promise.all(Array.from({ length: 3 }, () => buy(eventId)));
  expect(again.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});

test('a ticket for an event names one that there is, and general entry takes no seat', async () => {
  expect((await buy('00000000-0000-4000-8000-000000000000')).status).toBe(404);
  const unnamed = await call('POST', '/tickets', { ticketType: 'event', ticketDate: '2031-05-01' });
  expect(unnamed).toMatchObject({ status: 400, body: { detail: expect.stringContaining('eventId') } });
  const eventId = await createEvent();
  const entry = { ticketType: 'general', ticketDate: '2031-05-01', eventId };
  for (let nth = 0; nth < 20; nth += 1) expect((await call('POST', '/tickets', entry)).status).toBe(201);
  expect((await buy(eventId)).status).toBe(201);
});

test('a ticket is used or refunded, and only once', async () => {
  for (const [first, state] of [
    ['use', 'used'],
    ['refund', 'refunded'],
  ]) {
    const ticket = await buyEntry();
    expect((await call('GET', ticket)).body.state).toBe('sold');
    const moved = await call('POST', `${ticket}/${first}`);
    expect(moved).toMatchObject({ status: 200, body: { ticketType: 'general', state } });
    for (const next of ['use', 'refund'])
      expect(await call('POST', `${ticket}/${next}`)).toMatchObject({
        status: 409,
        body: { title: 'Conflict', detail: expect.stringContaining(`the ticket is ${state}`) },
      });
    expect((await call('GET', ticket)).body).toEqual(moved.body);
  }
  const contested = await buyEntry();
  const moves = await Promise.all(
    ['use', 'refund', 'use'].map((move) => call('POST', `${contested}/${move}`)),
  );
  expect(moves.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

test('the tickets of a cancelled event are refunded, those that were used aside', async () => {
  const eventId = await createEvent();
  const tickets = await Promise.all([buy(eventId), buy(eventId)]);
  const [used, unused] = tickets.map(({ body }) => `/tickets/${body.ticketId}`);
  await call('POST', `${used}/use`);
  await call('DELETE', `/special-events/${eventId}`);
  expect((await call('GET', `${used}`)).body.state).toBe('used');
  expect((await call('GET', `${unused}`)).body).toMatchObject({ eventId, state: 'refunded' });
});

test('visitors read, buy and refund their own tickets; the rest is for staff', async () => {
  const event = `/special-events/${await createEvent()}`;
  const ticket = await buyEntry();
  const visit = async (method: string, path: string, as: string, body?: unknown) =>
    (await call(method, path, body, { as })).status;
  for (const [method, path, body] of [
    ['POST', '/special-events', TEA],
    ['PATCH', event, {}],
    ['DELETE', event],
    ['POST', `${ticket}/use`],
  ] as const)
    expect(await call(method, path, body, { as: 'todd' })).toMatchObject({
      status: 403,
      body: { title: 'Forbidden' },
    });
  expect(await visit('GET', event, 'todd')).toBe(200);
  for (const path of [ticket, `${ticket}/qr`]) {
    expect(await visit('GET', path, 'todd')).toBe(200);
    expect(await visit('GET', path, 'tess')).toBe(404);
  }
  expect(await visit('POST', `${ticket}/refund`, 'tess')).toBe(404);
  expect(await visit('POST', `${ticket}/refund`, 'todd')).toBe(200);
  expect(await visit('GET', event, 'nobody')).toBe(401);
});

test('a ticket has a code to be scanned', async () => {
  const { status, headers, body } = await call('GET', `${await buyEntry()}/qr`);
  expect([status, headers.get('content-type'), body.slice(1, 4)]).toEqual([200, 'image/png', 'PNG']);
});

test('the museum is closed at weekends, and each page starts after the previous one', async () => {
  const dates = async (query: string): Promise<string[]> =>
    (await call('GET', `/museum-hours?startDate=2023-09-15&${query}`)).body.map(
      ({ date }: { date: string }) => date,
    );
  expect(await dates('limit=3')).toEqual(['2023-09-15', '2023-09-18', '2023-09-19']);
  expect(await dates('limit=3&page=2')).toEqual(['2023-09-20', '2023-09-21', '2023-09-22']);
  expect(await dates('limit=1&page=1000000000')).toEqual([]);
});
