import { openData } from '@trellis/data';
import type { Document } from '@trellis/openapi/internal/document';
import { sql } from 'kysely';
import { storeProblem } from '../../packages/server/src/program/store.ts';
import { serveDocument } from '../../packages/server/tests/support/serve.ts';

const DOCUMENT: Document = {
  openapi: '3.1.0',
  info: { title: 'Accounts', version: '1' },
  paths: {
    '/accounts': {
      get: {
        operationId: 'listAccounts',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'number' } }],
        responses: { 200: { description: 'accounts' } },
      },
      post: { operationId: 'addAccount', responses: { 204: { description: 'added' } } },
      put: { operationId: 'waitForEver', responses: { 204: { description: 'never' } } },
      delete: { operationId: 'mistake', responses: { 204: { description: 'never' } } },
    },
  },
};

const start = async () => {
  const data = await openData<{ account: { id: bigint } }>(
    { databaseUrl: 'memory:' },
    { name: 'accounts', migrations: ['CREATE TABLE account (id bigint PRIMARY KEY)'] },
    { transactionTimeout: 200 },
  );
  const lines: object[] = [];
  const service = await serveDocument({
    document: DOCUMENT,
    explain: storeProblem,
    log: { info: (line) => void lines.push(line) },
    handlers: {
      async listAccounts({ query }: { readonly query: { readonly limit: number } }) {
        await data.db.selectFrom('account').selectAll().limit(query.limit).execute();
        return { status: 200 };
      },
      async addAccount() {
        await data.db.insertInto('account').values({ id: 1n }).returning('id').execute();
        return { status: 204 };
      },
      async waitForEver() {
        await data.transaction(() => new Promise(() => {}));
        return { status: 204 };
      },
      async mistake() {
        await sql`DELETE FROM secret_table RETURNING id`.execute(data.db);
        return { status: 204 };
      },
    },
  });
  const send = async (method: string, query = '') => {
    const reply = await fetch(`${service.url}/accounts${query}`, { method });
    return { status: reply.status, body: await reply.text() };
  };
  const close = async (): Promise<void> => {
    await service.close();
    await data.close();
  };
  return { send, close, lines, logged: service.logged };
};

test('a client gets a 400 for a value that the database cannot hold, and the log has the reason', async () => {
  const { send, close, lines, logged } = await start();
  for (const limit of ['1e20', '0.5', '99999999999999999999'])
    expect(await send('GET', `?limit=${limit}`)).toEqual({
      status: 400,
      body: '{"error":40002,"message":"a value is out of the range of the store"}',
    });
  expect(lines).toContainEqual(expect.objectContaining({ status: 400, reason: 'datatype mismatch' }));
  expect(logged).toEqual([]);
  await close();
});

test('a constraint that no handler catches, and a mistake in a query, are answered 500 and logged', async () => {
  const { send, close, logged } = await start();
  const internal = { status: 500, body: '{"error":50001,"message":"internal error"}' };
  expect((await send('POST')).status).toBe(204);
  expect(await send('POST')).toEqual(internal);
  expect(await send('DELETE')).toEqual(internal);
  expect(logged).toMatchObject([
    { err: { name: 'ConstraintViolation', kind: 'unique', table: 'account', columns: ['id'] } },
    { err: { name: 'SqliteError', message: 'no such table: secret_table' } },
  ]);
  await close();
});

test('a transaction whose function never settles is answered 503, and the log names the operation', async () => {
  const { send, close, logged } = await start();
  expect(await send('PUT')).toMatchObject({ status: 503, body: expect.stringContaining('50301') });
  expect(logged).toMatchObject([{ operation: 'waitForEver', err: { cause: { reason: 'timeout' } } }]);
  await close();
});
