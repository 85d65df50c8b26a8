import { appendFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import '../../src/auth/jwt.ts'; // loaded before it is asked for: jest cannot load jose twice at once
import { Problem } from '@trellis/contract';
import { openAuthenticator } from '@trellis/server';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { AUDIENCE, ISSUER, makeKey, startKeyServer, writeToken } from './key-server.ts';

const makeFolder = temporaryFolders();

const opened: { close: () => unknown }[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())));

/** Opens an authenticator over a file with this text; `told` collects its warnings. */
const openWith = async (
  text: string,
  settings: Partial<Parameters<typeof openAuthenticator>[0]> = {},
  interval = 50,
) => {
  const file = join(await makeFolder(), 'tokens');
  await writeFile(file, text);
  const told: string[] = [];
  const note = (details: object, message: string) =>
    told.push('reason' in details ? `${message} / ${details.reason}` : message);
  const auth = await openAuthenticator(
    { accessTokens: [], accessTokensFile: file, jwt: undefined, ...settings },
    { info: note, warn: note },
    { isTolerant: false, interval },
  );
  opened.push(auth);
  return { file, auth, told };
};

const MOST = 10_000;

/** Polls until the condition holds. Returns the milliseconds that it took. */
const untilTrue = async (isIt: () => boolean | Promise<boolean>): Promise<number> => {
  const since = performance.now();
  while (!(await isIt())) {
    if (performance.now() - since > MOST) throw new Error('not within ten seconds');
    await sleep(5);
  }
  return performance.now() - since;
};

type Opened = Awaited<ReturnType<typeof openAuthenticator>>;

const nameOf = async ({ authenticate }: Opened, token: string) => (await authenticate(token))?.name;

/** The status that a token is answered with. */
const statusOf = async ({ authenticate }: Opened, token: string): Promise<number> => {
  try {
    return (await authenticate(token)) ? 200 : 401;
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
};

test('a half-written token is not accepted', async () => {
  const { file, auth } = await openWith('alice:abc\n', {}, 300);
  for (let round = 0; round < 3; round += 1) {
    const since = performance.now();
    await writeFile(file, 'alice:abc\nbob:s3c');
    const seen: unknown[] = [];
    while (performance.now() - since < 220) {
      seen.push(await nameOf(auth, 's3c'));
      await sleep(5);
    }
    const took = performance.now() - since;
    appendFileSync(file, 'ret\n');
    if (took < 280) expect(seen.filter((name) => name !== undefined)).toEqual([]);
    expect(await untilTrue(async () => (await nameOf(auth, 's3cret')) === 'bob')).toBeLessThan(2000);
    await writeFile(file, 'alice:abc\n');
    await untilTrue(async () => (await nameOf(auth, 's3cret')) === undefined);
  }
  expect(await nameOf(auth, 's3c')).toBeUndefined();
});

test('a last line without a line break is accepted once the file stops growing', async () => {
  const { file, auth } = await openWith('alice:abc');
  await writeFile(file, 'alice:abc\nbob:def');
  expect(await untilTrue(async () => (await nameOf(auth, 'def')) === 'bob')).toBeLessThan(2000);
  expect(await nameOf(auth, 'abc')).toBe('alice');
});

test('a token that another name is given to is never out of work', async () => {
  const { file, auth } = await openWith('alice:abc\n');
  await writeFile(file, 'carol:abc\n');
  await untilTrue(async () => {
    const name = await nameOf(auth, 'abc');
    expect(['alice', 'carol']).toContain(name);
    return name === 'carol';
  });
});

describe('a file that is too large', () => {
  test('stops the start', async () => {
    await expect(openWith('#'.repeat(5 * 1_048_576))).rejects.toThrow(
      /^ACCESS_TOKENS_FILE: .*tokens cannot be read \(larger than 4 MiB\)$/,
    );
  });

  test('is an outage later: its tokens are answered 503, never 401; other tokens and JWTs work on', async () => {
    const key = makeKey('key');
    const server = await startKeyServer(key);
    opened.push({ close: server.leave });
    const { file, auth, told } = await openWith('alice:abc\n', {
      accessTokens: [{ name: 'ops', token: 'xyz' }],
      jwt: { issuer: ISSUER, audience: AUDIENCE, jwksUrl: server.url },
    });
    const jwt = writeToken(key);
    const statuses = async () => {
      const tokens = ['abc', 'xyz', 'unknown', jwt, `${jwt}x`];
      return Promise.all(tokens.map((token) => statusOf(auth, token)));
    };
    expect(await statuses()).toEqual([200, 200, 401, 200, 401]);
    await truncate(file, 5 * 1_048_576);
    expect(await untilTrue(async () => (await statusOf(auth, 'abc')) === 503)).toBeLessThan(2000);
    expect(await statuses()).toEqual([503, 200, 503, 200, 503]);
    await sleep(200);
    await writeFile(file, 'alice:abc\n');
    expect(await untilTrue(async () => (await statusOf(auth, 'abc')) === 200)).toBeLessThan(2000);
    expect(await statuses()).toEqual([200, 200, 401, 200, 401]);
    expect(told).toEqual([
      'the token file cannot be read; its tokens are answered 503 / larger than 4 MiB',
      'the token file is read',
    ]);
  });
});

test('of many invalid lines the first are logged one by one, then the number of the others', async () => {
  const { file, told } = await openWith('alice:abc\n');
  await writeFile(file, `alice:abc\n${'a slip\n'.repeat(1000)}`);
  await untilTrue(() => told.length > 0);
  expect(told).toHaveLength(22);
  expect(told.at(-1)).toBe('more lines of the token file are left out');
});
