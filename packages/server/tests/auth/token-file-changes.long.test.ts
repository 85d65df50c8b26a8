import { hash } from 'node:crypto';
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import '../../src/auth/jwt.ts'; // loaded before it is asked for: jest cannot load jose twice at once
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { type LiveAuthenticator, openAuthenticator } from '../../src/auth/open.ts';
import { Problem } from '../../src/contract/problems/problem.ts';
import { AUDIENCE, ISSUER, makeKey, startKeyServer, writeToken } from './key-server.ts';

const makeFolder = temporaryFolders();

const opened: { close: () => unknown }[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())));

/** An authenticator over a file of these lines, and what it tells. */
const openWith = async (text: string, settings: Partial<Parameters<typeof openAuthenticator>[0]> = {}) => {
  const file = join(await makeFolder(), 'tokens');
  await writeFile(file, text);
  const told: string[] = [];
  const note = (details: object, message: string) =>
    told.push('code' in details ? `${message} / ${details.code}` : message);
  const auth = await openAuthenticator(
    { accessTokens: [], accessTokensFile: file, jwt: undefined, ...settings },
    { info: note, warn: note },
  );
  opened.push(auth);
  return { file, auth, told };
};

const MOST = 10_000;

/** Asks until the answer is what is waited for, and gives the milliseconds that it took. */
const untilTrue = async (isIt: () => boolean | Promise<boolean>): Promise<number> => {
  const since = performance.now();
  while (!(await isIt())) {
    if (performance.now() - since > MOST) throw new Error('not within ten seconds');
    await sleep(5);
  }
  return performance.now() - since;
};

const nameOf = async ({ authenticate }: LiveAuthenticator, token: string) =>
  (await authenticate(token))?.name;

/** The status that a token is answered with. */
const statusOf = async ({ authenticate }: LiveAuthenticator, token: string): Promise<number> => {
  try {
    return (await authenticate(token)) ? 200 : 401;
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
};

/** Does something again and again until it is told to stop. */
const again = (act: () => unknown, pause: () => number) => {
  let stopped = false;
  const done = (async () => {
    while (!stopped) {
      await act();
      await sleep(pause());
    }
  })();
  return async () => {
    stopped = true;
    await done;
  };
};

test('a file that is emptied and written again within 300 ms revokes nobody whom it still has', async () => {
  const files = await Promise.all(Array.from({ length: 10 }, () => openWith('alice:abc\nbob:def\n')));
  const refused: { nth: number; at: number }[] = [];
  const stalls: { nth: number; from: number }[] = [];
  const stopAsking = again(
    async () => {
      for (const [nth, { auth }] of files.entries())
        for (const token of ['abc', 'def'])
          if ((await nameOf(auth, token)) === undefined) refused.push({ nth, at: performance.now() });
    },
    () => 3,
  );
  const rewrite = async (nth: number, file: string, round: number) => {
    const from = performance.now();
    const [empty, half] = [(nth * 7 + round * 31) % 100, (nth * 3 + round * 17) % 60];
    truncateSync(file);
    await sleep(empty);
    writeFileSync(file, 'bob:def\n');
    await sleep(half);
    appendFileSync(file, 'alice:abc\n');
    if (performance.now() - from > 250) stalls.push({ nth, from }); // a busy machine
    await sleep(450 + ((nth * 11 + round * 13) % 100)); // the service has taken the whole file
  };
  await Promise.all(
    files.map(async ({ file }, nth) => {
      for (let round = 0; round < 8; round += 1) await rewrite(nth, file, round);
    }),
  );
  await stopAsking();
  const wrong = refused.filter(
    ({ nth, at }) => !stalls.some((stall) => stall.nth === nth && at > stall.from && at < stall.from + 2000),
  );
  expect(wrong).toEqual([]);
  expect(stalls.length).toBeLessThan(80); // some rounds were judged
});

describe('a file that is replaced all the time', () => {
  let round = 0;
  const changeAllTheTime = (file: string, lines: () => string) =>
    again(
      () => {
        round += 1;
        writeFileSync(`${file}.new`, `${lines()}other:x${round}\n`);
        renameSync(`${file}.new`, file);
      },
      () => 60,
    );

  test('revokes what is taken out of it, lets in what is put into it, and keeps what stays', async () => {
    const { file, auth, told } = await openWith('alice:abc\nbob:def\n');
    let lines = 'alice:abc\nbob:def\n';
    const stop = changeAllTheTime(file, () => lines);
    await sleep(300);
    lines = 'bob:def\ncarol:ghi\n';
    const since = performance.now();
    expect(await untilTrue(async () => (await nameOf(auth, 'ghi')) === 'carol')).toBeLessThan(2000);
    await untilTrue(async () => {
      expect(await nameOf(auth, 'def')).toBe('bob');
      return (await nameOf(auth, 'abc')) === undefined;
    });
    expect(performance.now() - since).toBeLessThan(2000);
    await sleep(1500);
    await stop();
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThan((performance.now() - since) / 300);
  });

  test('leaves most of the time to others, with ten thousand entries', async () => {
    const many = Array.from({ length: 10_000 }, (_, nth) => `name-${nth}:sha256:${hash('sha256', `${nth}`)}`);
    const lines = `${many.join('\n')}\n`;
    const { file, auth } = await openWith(lines);
    const stop = changeAllTheTime(file, () => lines);
    await sleep(200);
    const [cpu, since] = [process.cpuUsage(), performance.now()];
    await sleep(1500);
    const { user, system } = process.cpuUsage(cpu);
    const share = (user + system) / 1000 / (performance.now() - since);
    await stop();
    expect(await nameOf(auth, '4141')).toBe('name-4141');
    expect(share).toBeLessThan(0.6);
  });
});

test("what is half written is nobody's token", async () => {
  const { file, auth } = await openWith('alice:abc\n');
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
    expect(await untilTrue(async () => (await nameOf(auth, 's3cret')) === 'bob')).toBeLessThan(1000);
    await writeFile(file, 'alice:abc\n');
    await untilTrue(async () => (await nameOf(auth, 's3cret')) === undefined);
  }
  expect(await nameOf(auth, 's3c')).toBeUndefined();
});

test('a last line that no line break ends is taken, once nobody goes on writing', async () => {
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
      /^ACCESS_TOKENS_FILE: .*tokens is larger than 4 MiB$/,
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
      'the token file cannot be looked at; its tokens are answered 503 / EFBIG',
      'the token file can be looked at again',
    ]);
  });
});

test('of many lines with a slip the first are told one by one, and how many more there are', async () => {
  const { file, told } = await openWith('alice:abc\n');
  await writeFile(file, `alice:abc\n${'a slip\n'.repeat(1000)}`);
  await untilTrue(() => told.length > 0);
  expect(told).toHaveLength(22);
  expect(told.at(-1)).toBe('more lines of the token file are left out');
});
