import { readTracingSettings } from '../../src/program/tracing/settings.ts';

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test('an endpoint turns tracing on, with the defaults of the specification', () => {
  expect(readTracingSettings(ON)).toEqual({
    sampler: 'parentbased_always_on',
    ratio: 1,
    maxQueueSize: 2048,
    maxBatchSize: 512,
    delay: 5000,
  });
});

test('every setting can be set', () => {
  expect(
    readTracingSettings({
      ...ON,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '50',
      OTEL_BSP_SCHEDULE_DELAY: '7',
    }),
  ).toEqual({
    sampler: 'parentbased_traceidratio',
    ratio: 0.25,
    maxQueueSize: 100,
    maxBatchSize: 50,
    delay: 7,
  });
});

test('a batch is never larger than the queue', () => {
  expect(readTracingSettings({ ...ON, OTEL_BSP_MAX_QUEUE_SIZE: '100' })).toMatchObject({ maxBatchSize: 100 });
});

test.each([
  ['no endpoint', {}],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['an SDK that is disabled', { ...ON, OTEL_SDK_DISABLED: 'TRUE' }],
])('%s leaves tracing off, whatever the others say', (_, environment) => {
  expect(readTracingSettings({ ...environment, OTEL_TRACES_SAMPLER: 'of another program' })).toBeUndefined();
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://127.0.0.1:4317'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'Authorization: s3cret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=1;b=s3cret'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'stage'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'stage=a=b'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'stage=100%'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ['OTEL_BSP_SCHEDULE_DELAY', '0'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '-1'],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '1e3'],
])('%s of "%s" is refused by name, and no secret is repeated', (name, text) => {
  const read = () => readTracingSettings({ ...ON, [name]: text });
  expect(read).toThrow(new RegExp(`^${name} must be `));
  expect(read).not.toThrow('s3cret');
});

test.each([
  ['OTEL_EXPORTER_OTLP_HEADERS', 'Authorization=Basic%20dXNlcjpwYXNz==, x-scope=all,'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=tests, team=a%3Db,'],
  ['OTEL_TRACES_SAMPLER_ARG', '.5'],
])('%s of "%s" is accepted', (name, text) => {
  expect(readTracingSettings({ ...ON, [name]: text })).toBeDefined();
});
