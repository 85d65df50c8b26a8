import { StoreUnavailable } from '../../../src/engines/errors.ts';
import {
  isForGood,
  isTransient,
  isUndone,
  toSqlError,
  toUnavailable,
} from '../../../src/engines/postgres/errors.ts';

const withCode = (code: string, more: object = {}) =>
  Object.assign(new Error('something'), { code, ...more });

test.each([
  ['disk full', withCode('53100'), 'full', false],
  ['read-only transaction', withCode('25006'), 'readonly', true],
  ['query cancelled', withCode('57014'), 'timeout', false],
  ['connection or read timed out', withCode('ETIMEDOUT'), 'timeout', false],
  ['serialization failure', withCode('40001'), 'busy', true],
  ['statement completion unknown', withCode('40003'), 'unreachable', true],
  ['deadlock', withCode('40P01'), 'busy', true],
  ['too many connections', withCode('53300'), 'busy', true],
  ['lock not available', withCode('55P03'), 'busy', true],
  ['connection failure', withCode('08006'), 'unreachable', true],
  ['pooler without a server', withCode('08P01'), 'unreachable', true],
  ['administrator ended the connection', withCode('57P01'), 'unreachable', true],
  ['crash', withCode('57P02'), 'unreachable', true],
  ['server is starting', withCode('57P03'), 'unreachable', true],
  ['idle for too long', withCode('57P05'), 'unreachable', true],
  ['connection refused', withCode('ECONNREFUSED'), 'unreachable', true],
  ['connection reset', withCode('ECONNRESET'), 'unreachable', true],
  ['broken pipe', withCode('EPIPE'), 'unreachable', true],
  ['no route', withCode('EHOSTUNREACH'), 'unreachable', true],
  ['name unknown', withCode('ENOTFOUND'), 'unreachable', true],
  ['name server away', withCode('EAI_AGAIN'), 'unreachable', true],
  ['no Unix socket', withCode('ENOENT', { syscall: 'connect' }), 'unreachable', true],
  ['lost connection', new Error('Connection terminated unexpectedly'), 'unreachable', true],
  [
    'connection lost earlier',
    new Error('Client has encountered a connection error and is not queryable'),
    'unreachable',
    true,
  ],
  ['no answer to a connect', new Error('Connection terminated due to connection timeout'), 'timeout', false],
  ['no connection free in time', new Error('timeout exceeded when trying to connect'), 'timeout', false],
  ['no answer to a statement', new Error('Query read timeout'), 'timeout', false],
])(
  '%s may pass: told as such, tried again or not, and no reason to refuse a start',
  (_name, error, reason, transient) => {
    const unavailable = toUnavailable(error);
    expect(unavailable).toBeInstanceOf(StoreUnavailable);
    expect(unavailable).toMatchObject({ reason, cause: error });
    expect(isTransient(error)).toBe(transient);
    expect(isForGood(error)).toBe(false);
  },
);

test.each([
  ['wrong password', withCode('28P01')],
  ['no such database', withCode('3D000')],
  ['no such table', withCode('42P01')],
  ['no right', withCode('42501')],
  ['certificate not trusted', withCode('SELF_SIGNED_CERT_IN_CHAIN')],
  ['certificate of another host', withCode('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['certificate file missing', withCode('ENOENT', { syscall: 'open' })],
  ['no TLS there', new Error('The server does not support SSL connections')],
  ['no password', new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string')],
  ['no error at all', undefined],
])('%s is for a person to mend: told as failing, not tried again', (_name, error) => {
  expect(toUnavailable(error).reason).toBe('failing');
  expect(isTransient(error)).toBe(false);
  expect(isForGood(error)).toBe(true);
});

test.each([
  ['a value that does not fit', withCode('22001')],
  ['a constraint', withCode('23514')],
  ['another unique index', withCode('23505')],
  ['an index row that is too long', withCode('54000')],
  ['an exception of a trigger', withCode('P0001')],
  ['an exception with a custom code', withCode('WEEDS', { routine: 'exec_stmt_raise' })],
  ['a row-level policy', withCode('42501', { routine: 'ExecWithCheckOptions' })],
])('%s is the fault of a statement, and no outage', (_name, error) => {
  expect(toSqlError(error)).not.toBeInstanceOf(StoreUnavailable);
});

test.each([
  ['serialization failure', withCode('40001'), true],
  ['deadlock', withCode('40P01'), true],
  ['too many connections', withCode('53300'), true],
  ['read-only transaction', withCode('25006'), true],
  ['connection refused', withCode('ECONNREFUSED'), true],
  ['broken pipe', withCode('EPIPE', { syscall: 'write' }), true],
  ['connection reset before all was sent', withCode('ECONNRESET', { syscall: 'write' }), true],
  ['statement completion unknown', withCode('40003'), false],
  ['administrator ended the connection', withCode('57P01'), false],
  ['connection reset', withCode('ECONNRESET'), false],
  ['lost connection', new Error('Connection terminated unexpectedly'), false],
  ['disk full', withCode('53100'), false],
  ['a constraint', withCode('23514'), false],
])(
  'a write that must not be done twice is tried again only if it was certainly not done: %s',
  (_name, error, isTriedAgain) => {
    expect(isUndone(error)).toBe(isTriedAgain);
  },
);

test.each([
  ['unique', '23505'],
  ['foreign key', '23503'],
  ['foreign key', '23001'],
  ['not null', '23502'],
  ['check', '23514'],
])('a statement that violates a constraint: %s', (kind, code) => {
  expect(toSqlError(withCode(code))).toMatchObject({ name: 'ConstraintViolation', kind, cause: { code } });
});

test.each(['22003', '22P02', '2201W', '54000'])('a value that the statement cannot take: %s', (code) => {
  const error = withCode(code);
  expect(toSqlError(error)).toMatchObject({ name: 'InvalidValue', cause: error });
});

test.each(['', 'ERR_INVALID_ARG_TYPE'])('nothing known, and so no outage: %p', (code) => {
  const error = withCode(code);
  expect(toSqlError(error)).toBe(error);
});

test.each(['23P01', '42601', '42501', '54001', 'P0001'])("a statement's own fault: %s", (code) => {
  const error = withCode(code);
  expect(toSqlError(error)).toBe(error);
});

test.each([
  '28P01',
  '3D000',
  '25P02',
  '57P04',
  '58030',
  'XX001',
  '40001',
  '53100',
  'ECONNRESET',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('no fault of the statement: %s', (code) => {
  expect(toSqlError(withCode(code))).toBeInstanceOf(StoreUnavailable);
});
