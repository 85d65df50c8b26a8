import { randomBytes } from 'node:crypto';
import { ConstraintViolation, InvalidValue } from '@trellis/data';
import { until } from '../../support/files.ts';
import { changeSetting } from '../../support/postgres.ts';
import { add, NOBODY, readBalances, sql, useShop } from './shop.ts';

const shop = useShop();

test.each([
  ['smallint', '7', 7n],
  ['integer', '-7', -7n],
  ['bigint', '9223372036854775807', 9223372036854775807n],
  ['oid', '4000000000', 4000000000n],
  ['real', '0.5', 0.5],
  ['double precision', '0.1', 0.1],
  ['numeric', '12345678901234567890.10', '12345678901234567890.10'],
  ['boolean', 'true', true],
  ['text', 'Füße 🌱', 'Füße 🌱'],
  ['bytea', '\\x00ff', Buffer.from([0, 255])],
  ['uuid', '6f1d0b0e-0000-4000-8000-000000000000', '6f1d0b0e-0000-4000-8000-000000000000'],
  ['date', '2026-03-29', '2026-03-29'],
  ['timestamp', '2026-03-29 02:30:00.5', '2026-03-29 02:30:00.5'],
  ['timestamptz', '2026-03-29 02:30:00.123456+02', '2026-03-29T00:30:00.123456Z'],
  ['timestamptz', '2026-03-29 00:30:00+00', '2026-03-29T00:30:00.000Z'],
  ['timestamptz', 'infinity', 'infinity'],
  ['interval', '1 day 02:00:00', '1 day 02:00:00'],
  ['jsonb', '{"id": 9223372036854775807}', '{"id": 9223372036854775807}'],
  ['bigint[]', '{1,NULL,9007199254740993}', [1n, null, 9007199254740993n]],
  ['numeric[]', '{0.10}', ['0.10']],
  ['text[]', '{a,"b,c"}', ['a', 'b,c']],
])('a %s of %s is returned exactly', async (type, text, value) => {
  const { engine } = await shop.openNew();
  const { rows } = await engine.read(sql(`SELECT '${text}'::${type} AS value, NULL::${type} AS nothing`));
  expect(rows).toEqual([{ value, nothing: null }]);
});

test.each([
  ['bigint', -9223372036854775808n, -9223372036854775808n],
  ['bigint', 7, 7n],
  ['double precision', 0.1, 0.1],
  ['boolean', false, false],
  ['text', 'a\\b"\'', 'a\\b"\''],
  ['text', null, null],
  ['bytea', new Uint8Array([1, 0, 255]), Buffer.from([1, 0, 255])],
  ['timestamptz', new Date(1e12), '2001-09-09T01:46:40.000Z'],
  ['timestamp', new Date(1e12), '2001-09-09 01:46:40'],
  ['bigint[]', [1n, 2], [1n, 2n]],
])('a %s takes %p', async (type, value, given) => {
  const { engine } = await shop.openNew();
  const { rows } = await engine.read(sql(`SELECT $1::${type} AS value`, value));
  expect(rows).toEqual([{ value: given }]);
});

test.each([
  ['undefined', undefined, TypeError],
  ['an object', {}, TypeError],
  ['a lone surrogate', '\ud800', InvalidValue],
])('%s is refused as a value', async (_name, value, kind) => {
  const { engine } = await shop.openNew();
  await expect(engine.run(sql('SELECT $1::text', value))).rejects.toThrow(kind);
  await expect(engine.read(sql('SELECT $1::text', value))).rejects.toThrow('a statement takes');
});

test('a text that is too long for an index is refused as a value', async () => {
  const { engine } = await shop.openNew();
  await engine.run(sql('CREATE TABLE names (name text UNIQUE)'));
  const long = randomBytes(8000).toString('base64');
  await expect(engine.run(sql('INSERT INTO names VALUES ($1)', long))).rejects.toThrow(InvalidValue);
});

test.each([
  ['unique', "INSERT INTO accounts VALUES (1, 'Cid', 0)"],
  ['foreign key', 'INSERT INTO letters VALUES (1, 3, null)'],
  ['not null', 'INSERT INTO letters VALUES (1, null, null)'],
  ['check', 'UPDATE accounts SET balance = -1'],
] as const)('a constraint violation reports its kind: %s', async (kind, statement) => {
  const { engine } = await shop.openNew();
  const failure = await engine.run(sql(statement)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConstraintViolation);
  expect(failure).toMatchObject({ kind, cause: { severity: 'ERROR' } });
  expect(engine.isRetryable(failure)).toBe(false);
});

test.each([
  ['42601', 'SELEC 1'],
  ['42P01', 'SELECT 1 FROM nowhere'],
  ['42601', 'SELECT 1; SELECT 2'],
])("another fault of a statement is the database's own error: %s of %s", async (code, statement) => {
  const { engine } = await shop.openNew();
  await expect(engine.run(sql(statement))).rejects.toMatchObject({ name: 'error', code });
  await expect(engine.read(sql(statement))).rejects.toMatchObject({ name: 'error', code });
  await engine.run(add(1, 1));
  expect(await readBalances(engine)).toEqual([101n, 100n]);
});

test('check reports a table that a crash would empty, and a read-only database', async () => {
  const { engine, other } = await shop.openNew();
  expect(await engine.check()).toBe(undefined);
  await other.query('ALTER TABLE letters SET UNLOGGED');
  expect(await engine.check()).toBe('failing');
  await other.query('ALTER TABLE letters SET LOGGED');
  expect(await engine.check()).toBe(undefined);
  await changeSetting(other, 'default_transaction_read_only = on');
  await until('the check finds it out', async () => (await engine.check()) === 'readonly' || undefined);
});

test('check reports an unreachable database', async () => {
  const proxy = await shop.postgres.openProxy(await shop.postgres.createDatabase());
  const engine = await shop.open(proxy.url);
  expect(await engine.check()).toBe(undefined);
  proxy.switchTo(NOBODY);
  expect(await engine.check()).toBe('unreachable');
});

test('a full disk is reported, and the next write may find room', async () => {
  const { engine, other } = await shop.openNew();
  await other.query(`CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF NEW.balance = 13 THEN RAISE disk_full; END IF; RETURN NEW; END'`);
  await other.query('CREATE TRIGGER fill BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION fill()');
  const full = engine.run(sql('UPDATE accounts SET balance = 13 WHERE id = 1'));
  await expect(full).rejects.toMatchObject({ reason: 'full' });
  expect((await engine.run(add(1, 1))).numAffectedRows).toBe(1n);
});

/** Each error of PostgreSQL, as a function raises it. */
const RAISE = `CREATE FUNCTION raise(code text) RETURNS void LANGUAGE plpgsql AS
  'BEGIN RAISE EXCEPTION USING ERRCODE = code, MESSAGE = code; END'`;

test.each([
  ['busy', ['40001', '40P01', '53300', '55P03'], true],
  ['readonly', ['25006'], true],
  ['unreachable', ['40003', '08006', '57P01', '57P02', '57P03', '57P05'], undefined],
  ['full', ['53100'], false],
  ['timeout', ['57014'], false],
  ['failing', ['25P02', '28P01', '3D000', '57P04', '58030', 'XX001'], false],
])(
  'an outage of the database is reported as %s, and repeated only if that helps: %j',
  async (reason, codes, isRetried) => {
    const { engine } = await shop.openNew();
    await engine.run(sql(RAISE));
    for (const code of codes) {
      const transaction = await engine.begin({ timeout: 5000 });
      const failure = await transaction.run(sql('SELECT raise($1)', code)).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: 'StoreUnavailable', reason, cause: { code } });
      if (isRetried !== undefined) expect(engine.isRetryable(failure)).toBe(isRetried);
      await transaction.rollback();
    }
  },
);

test.each([
  ['ConstraintViolation', ['23505', '23503', '23001', '23502', '23514']],
  ['InvalidValue', ['22001', '22003', '22P02', '2201W', '54000']],
  ['error', ['23P01', '42501', '54001', 'P0001', 'WEEDS']],
])('the fault of a statement is no outage, but a %s: %j', async (name, codes) => {
  const { engine } = await shop.openNew();
  await engine.run(sql(RAISE));
  for (const code of codes)
    await expect(engine.run(sql('SELECT raise($1)', code))).rejects.toMatchObject({ name });
});
