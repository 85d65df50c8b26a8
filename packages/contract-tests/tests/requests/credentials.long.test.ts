import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { run } from '../run.ts';
import { serve } from '../serve.ts';
import { temporaryFolders } from '../temporary.ts';

// Each test sends some hundred requests, which take long on a busy machine.
jest.setTimeout(60_000);

const TOKEN = 'Token-of-Ada';
const KEY = 'Key-of-Ada';
const BASIC = 'ada:Password-of-Ada';
const PATHS = { '/token': 'bearer', '/key': 'apiKey', '/basic': 'basic' };

const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Doors', version: '1' },
  paths: Object.fromEntries(
    Object.entries(PATHS).map(([path, scheme]) => [
      path,
      {
        get: {
          operationId: `open${scheme}`,
          security: [{ [scheme]: [] }],
          responses: {
            204: { description: 'Open' },
            401: { description: 'Closed' },
            '4XX': { description: 'Refused' },
          },
        },
      },
    ]),
  ),
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
    },
  },
};

/** Whether a door opens for a request. */
type Opens = (request: IncomingMessage) => boolean;

/** The Authorization field, its scheme in lower case: the case of a scheme does not count (RFC 9110, section 11.1). */
const authorizationOf = ({ headers: { authorization = '' } }: IncomingMessage): string =>
  authorization.replace(/^\w+/, (scheme) => scheme.toLowerCase());

const RIGHT: Readonly<Record<string, Opens>> = {
  '/token': (request) => authorizationOf(request) === `bearer ${TOKEN}`,
  '/key': ({ headers }) => headers['x-key'] === KEY,
  '/basic': (request) => authorizationOf(request) === `basic ${Buffer.from(BASIC).toString('base64')}`,
};

const newFolder = temporaryFolders();

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';
const queryOf = ({ url = '' }: IncomingMessage, name: string): string | null =>
  new URL(url, 'http://doors').searchParams.get(name);
const passwordOf = ({ headers: { authorization = '' } }: IncomingMessage): string =>
  Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString('utf8');

/** Starts doors, one of which may be wrong, for the duration of a test. */
const withDoors = async <T>(
  wrong: Readonly<Record<string, Opens>>,
  use: (url: string) => Promise<T>,
): Promise<T> => {
  const doors = { ...RIGHT, ...wrong };
  const { url, close } = await serve((request, response) => {
    const path = pathOf(request);
    const door = doors[path];
    const methods = ['GET', 'HEAD'];
    if (!door) response.writeHead(404).end();
    else if (!methods.includes(request.method ?? ''))
      response.writeHead(405, { Allow: methods.join(', ') }).end();
    else if (!door(request)) response.writeHead(401).end();
    else response.writeHead(204).end();
  });
  try {
    return await use(url);
  } finally {
    await close();
  }
};

const check = async (url: string, phases: readonly string[] = []) => {
  const file = join(await newFolder(), 'openapi.yaml');
  await writeFile(file, JSON.stringify(CONTRACT));
  const credentials = { token: TOKEN, basic: BASIC, apiKeys: { 'X-Key': KEY } };
  return run({ spec: file, credentials, phases, requests: 3, url });
};

test('doors that open for the right credentials alone keep their contract', async () => {
  const { text: told, failures } = await withDoors({}, check);
  expect(told).toContain('openbearer');
  if (failures > 0) throw new Error(told);
});

const HOLES: readonly (readonly [what: string, path: keyof typeof PATHS, opens: Opens, told: string])[] = [
  [
    'a token whose beginning is right',
    '/token',
    ({ headers }) => headers.authorization?.slice(0, 12) === `Bearer ${TOKEN}`.slice(0, 12),
    'the real token cut short',
  ],
  [
    'a token with more behind it',
    '/token',
    ({ headers }) => headers.authorization?.startsWith(`Bearer ${TOKEN}`) === true,
    'the real token with a letter more',
  ],
  [
    'a token in another case',
    '/token',
    ({ headers }) => headers.authorization?.toLowerCase() === `Bearer ${TOKEN}`.toLowerCase(),
    'the real token in another case',
  ],
  [
    'a token without its scheme',
    '/token',
    ({ headers }) => headers.authorization?.replace('Bearer ', '') === TOKEN,
    'the real token without its scheme',
  ],
  [
    'a token of any scheme',
    '/token',
    ({ headers }) => headers.authorization?.split(' ')[1] === TOKEN,
    'the real token as another scheme',
  ],
  [
    'a token anywhere in the field',
    '/token',
    ({ headers }) => headers.authorization?.includes(TOKEN) === true,
    'the real token after a wrong one',
  ],
  [
    'an empty token',
    '/token',
    ({ headers }) => headers.authorization === 'Bearer' || headers.authorization === `Bearer ${TOKEN}`,
    'Bearer and nothing after it',
  ],
  [
    'a token in the query',
    '/token',
    (request) => queryOf(request, 'access_token') === TOKEN || RIGHT['/token']?.(request) === true,
    'the real token in the query',
  ],
  [
    'a key in another case',
    '/key',
    ({ headers }) => String(headers['x-key']).toLowerCase() === KEY.toLowerCase(),
    'the real key in another case',
  ],
  [
    'a key in the query',
    '/key',
    (request) => queryOf(request, 'X-Key') === KEY || RIGHT['/key']?.(request) === true,
    'the real key in the query',
  ],
  [
    'the token of another scheme',
    '/key',
    (request) => RIGHT['/token']?.(request) === true || RIGHT['/key']?.(request) === true,
    'the real credentials of bearer only',
  ],
  [
    'a password that is cut short',
    '/basic',
    (request) => BASIC.startsWith(passwordOf(request)) && passwordOf(request).length > 6,
    'the real password cut short',
  ],
  [
    'a name without a password',
    '/basic',
    (request) => passwordOf(request) === 'ada:' || RIGHT['/basic']?.(request) === true,
    'the real name without a password',
  ],
];

test.each(HOLES)(
  'a door that opens for %s is caught, and the line to paste opens it',
  async (_, path, opens, told) => {
    await withDoors({ [path]: opens }, async (url) => {
      const { text: said } = await check(url, ['credentials']);
      expect(said).toContain(`${told} for ${PATHS[path]}`.replace('only for apiKey', 'only'));
      for (const secret of [TOKEN, KEY, 'Password-of-Ada']) expect(said).not.toContain(secret);
      const line = said.slice(said.indexOf(told)).split('\n')[1] ?? '';
      const env = { PATH: process.env.PATH, TOKEN, BASIC, X_KEY: KEY };
      const { stdout } = await promisify(execFile)('sh', ['-c', line], { env });
      expect(stdout).toContain('204 No Content');
    });
  },
);
