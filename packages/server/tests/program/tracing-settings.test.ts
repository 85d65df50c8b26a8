import { readTracing } from '../../src/program/tracing/settings.ts';

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test('an endpoint turns tracing on', () => {
  expect(readTracing(ON)).toBe(true);
});

test.each([
  ['no endpoint', {}],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['an SDK that is disabled', { ...ON, OTEL_SDK_DISABLED: 'TRUE' }],
])('%s leaves tracing off', (_, environment) => {
  expect(readTracing(environment)).toBe(false);
});

test.each(['127.0.0.1:4318', 'grpc://127.0.0.1:4317', 'http://'])('the endpoint "%s" is refused', (text) => {
  expect(() => readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: text })).toThrow(
    /^OTEL_EXPORTER_OTLP_ENDPOINT must be /,
  );
});

test.each([
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '0'],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '0.5'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '-1'],
])('%s of %s is refused', (name, text) => {
  expect(() => readTracing({ ...ON, [name]: text })).toThrow(`${name} must be at least 1`);
  expect(readTracing({ ...ON, [name]: '' })).toBe(true);
  expect(readTracing({ [name]: text })).toBe(false);
});
