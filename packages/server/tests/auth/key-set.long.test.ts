import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { REFUSED, SERVED, send, UNAVAILABLE, useJwtServices } from './jwt-service.ts';
import { claims, inSeconds, makeKey, writeToken } from './key-server.ts';

const { startKeys, startWith } = useJwtServices();
const [first, second, third] = [makeKey('first'), makeKey('second', 'RS256'), makeKey('third')];

/** Gives each token its own id, so that none is cached from an earlier request. */
let made = 0;
const tokenOf = (key: typeof first) => {
  made += 1;
  return writeToken(key, claims({ jti: `${made}` }));
};

/** Sends new tokens of a key until one is refused. */
const untilRefused = async (service: { url: string }, makeToken: () => string): Promise<void> => {
  const since = performance.now();
  while ((await send(service, makeToken())).status !== REFUSED.status)
    if (performance.now() - since > 10_000) throw new Error('not refused within ten seconds');
};

describe('rotation', () => {
  test('a token with a new key is served at once, and so is one with the old key while that is published', async () => {
    const server = await startKeys(first);
    const service = await startWith(server, { cooldown: 0 });
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    server.publish(first, second);
    expect(await send(service, tokenOf(second))).toMatchObject(SERVED);
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    expect(server.asked).toBe(2);
  });

  test('a token with a key that was withdrawn is refused once the keys are fetched anew', async () => {
    const server = await startKeys(first, second);
    const service = await startWith(server, { interval: 20 });
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    server.publish(second);
    await untilRefused(service, () => tokenOf(first));
    expect(await send(service, tokenOf(second))).toMatchObject(SERVED);
  });

  test('tokens that name unknown keys do not flood the key server', async () => {
    const server = await startKeys(first);
    const service = await startWith(server);
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(service, tokenOf(second))));
    expect(replies).toEqual(replies.map(() => expect.objectContaining(REFUSED)));
    expect(server.asked).toBe(1);
  });

  test('a key that is published is known once the key server may be asked again', async () => {
    const server = await startKeys(first);
    const service = await startWith(server, { cooldown: 1000 });
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    server.publish(first, second);
    const token = tokenOf(second);
    expect(await send(service, token)).toMatchObject(REFUSED);
    await sleep(1000);
    expect(await send(service, token)).toMatchObject(SERVED);
    expect(await send(service, tokenOf(third))).toMatchObject(REFUSED);
    expect(server.asked).toBe(2);
  });

  test('the key of a token of another issuer is not asked for', async () => {
    const server = await startKeys(first);
    const service = await startWith(server, { cooldown: 0 });
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    expect(await send(service, writeToken(second, claims({ iss: 'another' })))).toMatchObject(REFUSED);
    expect(server.asked).toBe(1);
  });

  test('keys are fetched once for all who wait for them', async () => {
    const server = await startKeys(first);
    const service = await startWith(server, { cooldown: 0 });
    await send(service, tokenOf(first));
    const asked = server.asked;
    let arrived = 0;
    const allArrived = new Promise<void>((resolve) => {
      service.server.on('request', () => {
        arrived += 1;
        if (arrived === 50) resolve();
      });
    });
    server.answerWith(async (_request, response) => {
      await allArrived;
      response.end(JSON.stringify({ keys: [second.jwk] }));
    });
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(service, tokenOf(second))));
    expect(replies).toEqual(replies.map(() => expect.objectContaining(SERVED)));
    expect(server.asked - asked).toBe(1);
  });

  test('a token that names no key is served where one key fits, and refused where it could be any of several', async () => {
    const server = await startKeys(first, second);
    const service = await startWith(server, { interval: 20 });
    const nameless = () => writeToken(first, claims({ jti: tokenOf(first) }), { kid: undefined });
    expect(await send(service, nameless())).toMatchObject(SERVED);
    server.publish(first, second, third);
    await untilRefused(service, nameless);
  });
});

describe('an unreachable key server', () => {
  test('from the start: 503 and not 401, until it is there', async () => {
    const server = await startKeys(first);
    await server.leave();
    const service = await startWith(server, { pause: 0 });
    expect(await send(service, tokenOf(first))).toMatchObject(UNAVAILABLE);
    expect(await send(service, 'not-a-jwt')).toMatchObject(REFUSED);
    expect(await send(service, writeToken(first, claims(), { alg: 'HS256' }))).toMatchObject(REFUSED);
    await server.comeBack();
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    expect(service.told).toEqual(['the keys of JWTs cannot be fetched; the last ones stay in use']);
  });

  test('later: cached keys stay valid, however old, and an unknown key is 503', async () => {
    const server = await startKeys(first);
    const service = await startWith(server, { interval: 20, cooldown: 0, pause: 0 });
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    await server.leave();
    while (service.told.length === 0) await sleep(5);
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    expect(await send(service, tokenOf(second))).toMatchObject(UNAVAILABLE);
    expect(await send(service, writeToken(first, claims({ iss: 'another' })))).toMatchObject(REFUSED);
    server.publish(second);
    await server.comeBack();
    expect(await send(service, tokenOf(second))).toMatchObject(SERVED);
    expect(await send(service, tokenOf(first))).toMatchObject(REFUSED);
  });

  test.each([
    ['an error', 500, ''],
    ['a page', 200, '<html></html>'],
    ['JSON without keys', 200, '{}'],
  ])('it is left alone for a while after each failure: %s', async (_what, status, body) => {
    const server = await startKeys(first);
    server.answerWith((_request, response) => response.writeHead(status).end(body));
    const service = await startWith(server, { pause: 60_000 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(service, tokenOf(first))));
    replies.push(await send(service, tokenOf(first)));
    expect(replies).toEqual(replies.map(() => expect.objectContaining(UNAVAILABLE)));
    expect(server.asked).toBe(1);
  });

  test('a silent one is not waited for without end', async () => {
    const server = await startKeys(first);
    server.answerWith(() => {});
    const service = await startWith(server, { timeout: 200 });
    expect(await send(service, tokenOf(first))).toMatchObject(UNAVAILABLE);
  });

  test('a silent one is not waited for by those whose key is at hand', async () => {
    const server = await startKeys(first);
    const service = await startWith(server, { timeout: 600_000, interval: 20 });
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    const asked = new Promise<void>((resolve) => server.answerWith(() => resolve()));
    await asked;
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
  });
});

test.each([
  ['an error', 500, '{}'],
  ['a page', 200, '<html></html>'],
  ['JSON without keys', 200, '{}'],
  ['keys that are no list', 200, '{"keys":{}}'],
  ['a key that is no object', 200, '{"keys":[41]}'],
  ['nothing', 200, ''],
  ['the way to somewhere else', 302, ''],
])('a key server that answers with %s counts as away', async (_what, status, body) => {
  const server = await startKeys(first);
  const service = await startWith(server, { cooldown: 0, pause: 0 });
  expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
  server.answerWith((_request, response) => response.writeHead(status, { Location: '/keys' }).end(body));
  expect(await send(service, tokenOf(second))).toMatchObject(UNAVAILABLE);
  expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
  const newcomer = await startWith(server);
  expect(await send(newcomer, tokenOf(first))).toMatchObject(UNAVAILABLE);
});

describe('an answer without end', () => {
  test.each([
    ['without a length', {}],
    ['with a Content-Length', { 'Content-Length': '1073741824' }],
  ])('is not read to its end, %s, and counts as unreachable', async (_what, headers) => {
    const server = await startKeys(first);
    const service = await startWith(server, { cooldown: 0, pause: 0, timeout: 600_000 });
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
    let written = 0;
    const endings: Promise<unknown>[] = [];
    server.answerWith((_request, response) => {
      endings.push(once(response, 'close'));
      response.writeHead(200, headers).write('{"keys":[');
      const block = `${' '.repeat(65_535)}\n`;
      const writeOn = (): void => {
        while (!response.destroyed && response.write(block)) written += block.length;
        if (!response.destroyed) response.once('drain', writeOn);
      };
      writeOn();
    });
    expect(await send(service, tokenOf(second))).toMatchObject(UNAVAILABLE);
    await Promise.all(endings);
    expect(written).toBeLessThan(64 * 1_048_576);
    expect(await send(service, tokenOf(first))).toMatchObject(SERVED);
  });

  test('of many keys that fit is served', async () => {
    const server = await startKeys(first);
    server.publish(
      ...Array.from({ length: 1000 }, (_, nth) => ({ jwk: { ...second.jwk, kid: `${nth}` } })),
      first,
    );
    expect(await send(await startWith(server), tokenOf(first))).toMatchObject(SERVED);
  });
});

test('a token that was verified a moment ago is still refused once it is over', async () => {
  const service = await startWith(await startKeys(first));
  const token = writeToken(first, claims({ exp: inSeconds(-28) }));
  const replies = [await send(service, token)];
  while (replies.at(-1)?.status === 200 && replies.length < 10_000) replies.push(await send(service, token));
  expect(replies[0]).toMatchObject(SERVED);
  expect(replies.at(-1)).toMatchObject(REFUSED);
});
