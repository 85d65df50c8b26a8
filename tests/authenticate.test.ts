import { createHash, createHmac } from 'node:crypto';
import type { Authenticator } from '../packages/contract/src/security/security.ts';
import { newDocument } from '../packages/server/tests/support/documents.ts';
import { type ServeOptions, serveDocument } from '../packages/server/tests/support/serve.ts';
import { importSample } from './support/samples.ts';
import { temporaryFolders } from './support/temporary.ts';

const makeFolder = temporaryFolders();

const load = async (heading: string) =>
  importSample(await makeFolder(), 'docs/how-to/authenticate.md', heading);

const REPLY = { description: '', content: { 'application/json': { schema: {} } } };
const BODY = { content: { 'application/json': { schema: {} } } };

let service: Awaited<ReturnType<typeof serveDocument>> | undefined;
afterEach(() => service?.close());

/** Serves POST /things, which only those may call who satisfy a scheme, and says who they are. */
const serve = async (scheme: object, authenticator: Authenticator, options: Partial<ServeOptions> = {}) => {
  const reasons: unknown[] = [];
  service = await serveDocument({
    document: await newDocument({
      paths: { '/things': { post: { operationId: 'ask', requestBody: BODY, responses: { 200: REPLY } } } },
      components: { securitySchemes: { own: scheme } },
      security: [{ own: [] }],
    }),
    handlers: {
      ask: async ({ principal }: { principal: { name: string } }) => ({ status: 200, body: principal.name }),
    },
    authenticators: { own: authenticator },
    log: { info: (line) => void reasons.push(Reflect.get(line, 'reason')) },
    ...options,
  });
  const { url } = service;
  return {
    reasons,
    ask: async (headers: Record<string, string>, body?: string) => {
      const reply = await fetch(`${url}/things?x=1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      });
      const said: unknown = await reply.json();
      return [
        reply.status,
        typeof said === 'string' ? said : Object(said).error,
        reply.headers.get('www-authenticate'),
      ];
    },
  };
};

test('sessions in a cookie', async () => {
  const { createSessions } = await load('Sessions in a cookie');
  const sessions = new Map([
    ['abc', { user: 'Ada', expires: Date.now() + 60_000 }],
    ['old', { user: 'Bob', expires: 0 }],
  ]);
  const { ask, reasons } = await serve(
    { type: 'apiKey', in: 'cookie', name: 'sid' },
    createSessions(sessions),
  );
  expect(await ask({ cookie: 'theme=dark; sid=abc' })).toEqual([200, 'Ada', null]);
  expect(await ask({ cookie: 'sid=old' })).toEqual([401, 40102, null]);
  expect(await ask({ cookie: 'sid=x' })).toEqual([401, 40102, null]);
  expect(await ask({})).toEqual([401, 40101, null]);
  expect(reasons.slice(1, 3)).toEqual(['the session has ended', 'there is no such session']);
});

test('signed requests', async () => {
  const { createSignatures } = await load('Signed requests');
  const { ask, reasons } = await serve(
    { type: 'http', scheme: 'HMAC-SHA256' },
    createSignatures(new Map([['robot-1', 's3cret']])),
  );
  const digestOf = (body: string) => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const sign = (body: string, secret = 's3cret', key = 'robot-1', date = new Date().toUTCString()) => {
    const digest = digestOf(body);
    const text = ['POST', '/things?x=1', date, digest].join('\n');
    const signature = createHmac('sha256', secret).update(text).digest('hex');
    return { Date: date, 'Content-Digest': digest, Authorization: `HMAC-SHA256 ${key}:${signature}` };
  };
  const asked = 'HMAC-SHA256';
  expect(await ask(sign('[1]'), '[1]')).toEqual([200, 'robot-1', null]);
  expect(await ask(sign(''))).toEqual([200, 'robot-1', null]);
  expect(await ask(sign('[1]'), '[2]')).toEqual([400, 40002, null]);
  expect(await ask(sign('[1]'))).toEqual([400, 40002, null]);
  expect(await ask({ ...sign('[1]'), 'Content-Digest': digestOf('[2]') }, '[2]')).toEqual([
    401,
    40102,
    asked,
  ]);
  expect(await ask(sign('[1]', 'guess'), '[1]')).toEqual([401, 40102, asked]);
  expect(await ask(sign('[1]', '', 'nobody'), '[1]')).toEqual([401, 40102, asked]);
  const old = new Date(Date.now() - 600_000).toUTCString();
  expect(await ask(sign('[1]', 's3cret', 'robot-1', old), '[1]')).toEqual([401, 40102, asked]);
  expect(await ask({ Authorization: 'Bearer x' })).toEqual([401, 40101, asked]);
  expect(reasons[2]).toBe('the body does not match its Content-Digest');
});

test('certificates that a proxy checks', async () => {
  const { createCertificates } = await load('Certificates that a proxy checks');
  const scheme = { type: 'mutualTLS' };
  const authenticator = createCertificates(new Map([['f1', 'pump']]));
  const { ask } = await serve(scheme, authenticator, { trustProxy: ['loopback'] });
  const verified = { 'X-SSL-Client-Verify': 'SUCCESS', 'X-SSL-Client-Fingerprint': 'f1' };
  expect(await ask(verified)).toEqual([200, 'pump', null]);
  expect(await ask({ ...verified, 'X-SSL-Client-Fingerprint': 'f2' })).toEqual([401, 40102, null]);
  expect(await ask({ ...verified, 'X-SSL-Client-Verify': 'FAILED:expired' })).toEqual([401, 40102, null]);
  expect(await ask({ 'X-SSL-Client-Verify': 'NONE' })).toEqual([401, 40101, null]);
  await service?.close();
  const { ask: askDirectly } = await serve(scheme, authenticator);
  expect(await askDirectly(verified)).toEqual([401, 40101, null]);
});
