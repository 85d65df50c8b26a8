import { createHash } from 'node:crypto';
import { startProcess } from '../../scripts/support/service.ts';
import { runCli } from '../service/support/cli.ts';
import { post } from '../service/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();

const mint = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCli(await makeFolder(), ['token', ...args]);
  const [, token = '', entry = ''] = /^token {2}(\S+)\nentry {2}(\S+)\n$/.exec(stdout) ?? [];
  return { code, stderr, token, entry };
};

const digestOf = (token: string) => createHash('sha256').update(token).digest('hex');

test('a token has 256 bits, and its entry names it by its digest alone', async () => {
  const { code, stderr, token, entry } = await mint('alice');
  expect([code, stderr]).toEqual([0, '']);
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(entry).toBe(`alice:sha256:${digestOf(token)}`);
});

test('no two tokens are alike, nor the names of those that were given none', async () => {
  const [one, other] = await Promise.all([mint(), mint()]);
  expect(one.entry).toBe(`token-${digestOf(one.token).slice(0, 8)}:sha256:${digestOf(one.token)}`);
  expect(one.token).not.toBe(other.token);
  expect(one.entry.split(':')[0]).not.toBe(other.entry.split(':')[0]);
});

test.each(['a:b', 'a,b', 'a b', ''])(
  'a name of "%s" would not be read back, and is refused',
  async (name) => {
    expect(await mint(name)).toEqual({
      code: 1,
      stderr:
        'plant-store token: a name is one word without commas and colons, as in `plant-store token alice`\n',
      token: '',
      entry: '',
    });
  },
);

test('a service that has the entry accepts the token, and not the digest', async () => {
  const { token, entry } = await mint('alice');
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS: entry, DATABASE_URL: 'memory:' });
  const statusFor = async (secret: string) =>
    (await post(service, '{"id":1,"name":"Fern"}', { authorization: `Bearer ${secret}` })).status;
  expect([await statusFor(token), await statusFor(digestOf(token))]).toEqual([200, 401]);
  expect(await service.end()).toBe(0);
});
