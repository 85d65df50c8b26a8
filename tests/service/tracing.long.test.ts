import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { freePort } from '../../scripts/support/postgres.ts';
import { type Settings, startProcess } from '../../scripts/support/service.ts';
import { timed, until } from '../support/postgres/conditions.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { type Collector, type SentSpan, startCollector, urlOf } from './support/collector.ts';
import { runProcess } from './support/process.ts';
import { post } from './support/service.ts';

const makeFolder = temporaryFolders();

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const SAMPLED = { traceparent: `00-${TRACE}-${PARENT}-01` };

const FERN = '{"id":41,"name":"Fern"}';

/** Starts the service, with a short wait before spans are sent. */
const start = async (settings: Settings) =>
  startProcess(await makeFolder(), {
    ACCESS_TOKENS: `tests:${TOKEN}`,
    DRAIN_MS: '0',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...settings,
  });

const named = (spans: readonly SentSpan[], name: string): SentSpan => {
  const found = spans.filter((span) => span.name === name);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} spans are called ${name}`);
  return found[0];
};

/** The trace that a reply belongs to. */
const traceIn = (reply: Response): string => reply.headers.get('traceresponse')?.split('-')[1] ?? 'none';

describe('with a collector', () => {
  let collector: Collector;
  let service: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    collector = await startCollector();
    service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3cret,x-scope=plants%20all',
      OTEL_SERVICE_NAME: 'garden',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
    });
  });
  afterAll(async () => {
    await service.end();
    collector.close();
  });

  test('a create is one trace of the caller: the request, and in it the commit', async () => {
    const reply = await post(service, FERN, { ...SAMPLED, tracestate: 'vendor=value' });
    expect(reply.status).toBe(200);
    const trace = await collector.traceOf(TRACE);
    const request = named(trace, 'POST /plants');
    const commit = named(trace, 'commit');
    expect(trace).toHaveLength(2);
    expect(request).toMatchObject({
      parentId: PARENT,
      traceState: 'vendor=value',
      kind: 2,
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/plants',
        'http.response.status_code': 200,
        'url.path': '/plants',
        'url.scheme': 'http',
      },
    });
    expect(commit).toMatchObject({
      parentId: request.spanId,
      kind: 1,
      status: 0,
      attributes: { 'store.batch_size': 1 },
    });
    expect(reply.headers.get('traceresponse')).toBe(`00-${TRACE}-${request.spanId}-01`);
  });

  test('a commit lies within its request, within a millisecond too', async () => {
    for (let id = 100; id < 120; id += 1) {
      const trace = await collector.traceOf(traceIn(await post(service, `{"id":${id},"name":"Fern"}`)));
      const [request, commit] = [named(trace, 'POST /plants'), named(trace, 'commit')];
      const times = [request.start, commit.start, commit.end, request.end];
      expect(times).toEqual(times.toSorted());
    }
  });

  test('the collector learns which service it is, and gets the headers that it wants', async () => {
    const { resource } = named(await collector.traceOf(traceIn(await post(service, '{}'))), 'POST /plants');
    expect(resource).toMatchObject({
      'service.name': 'garden',
      'service.version': expect.any(String),
      'deployment.environment.name': 'tests',
    });
    expect(collector.requests[0]).toMatchObject({
      url: '/v1/traces',
      headers: {
        'content-type': 'application/x-protobuf',
        'api-key': 's3cret',
        'x-scope': 'plants all',
      },
    });
  });

  test('a body that does not fit is a trace without a commit, and no error of the service', async () => {
    const reply = await post(service, '{"id":41}');
    const trace = await collector.traceOf(traceIn(reply));
    const request = named(trace, 'POST /plants');
    expect(trace.map(({ name }) => name)).toEqual(['POST /plants']);
    expect(request).toMatchObject({
      parentId: '',
      status: 0,
      attributes: { 'http.response.status_code': 400 },
    });
  });

  test('a request without a valid token is a trace with a single span', async () => {
    const reply = await post(service, FERN, { authorization: 'Bearer wrong' });
    const trace = await collector.traceOf(traceIn(reply));
    expect(trace).toHaveLength(1);
    expect(trace[0]).toMatchObject({
      name: 'POST /plants',
      attributes: { 'http.response.status_code': 401, 'http.route': '/plants' },
    });
  });

  test('a path that is not served has no route, and gives no span its name', async () => {
    const reply = await fetch(`${service.url}/elsewhere?token=secret`, { method: 'PROPFIND' });
    const [span] = await collector.traceOf(traceIn(reply));
    expect(span?.name).toBe('HTTP');
    expect(span?.attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
      'http.response.status_code': 404,
      'url.path': '/elsewhere',
    });
    expect(span?.attributes).not.toHaveProperty('http.route');
    expect(JSON.stringify(span?.attributes)).not.toContain('secret');
  });

  test('creates that share a commit have each a span of it, in their own traces', async () => {
    const ids = Array.from({ length: 16 }, (_, index) => 1000 + index);
    const replies = await Promise.all(ids.map((id) => post(service, `{"id":${id},"name":"Fern"}`)));
    const traces = await Promise.all(replies.map((reply) => collector.traceOf(traceIn(reply))));
    for (const trace of traces)
      expect(named(trace, 'commit').parentId).toBe(named(trace, 'POST /plants').spanId);
    expect(new Set(traces.map(([span]) => span?.traceId)).size).toBe(ids.length);
  });

  test.each([
    ['of another length', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['in upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['of version ff', `ff-${TRACE}-${PARENT}-01`],
    ['with more than version 00 has', `00-${TRACE}-${PARENT}-01-extra`],
    ['that is empty', ''],
  ])(
    'a traceparent %s is ignored, with its tracestate: the request begins a trace',
    async (_, traceparent) => {
      const reply = await post(service, FERN, { traceparent, tracestate: 'vendor=value' });
      const traceId = traceIn(reply);
      expect(traceId).not.toBe(TRACE);
      const request = named(await collector.traceOf(traceId), 'POST /plants');
      expect(request).toMatchObject({ parentId: '', traceState: '' });
    },
  );

  test('a caller that does not sample is obeyed: no span is sent, and the log still has its trace', async () => {
    const unsampled = '1'.repeat(32);
    const reply = await post(service, FERN, { traceparent: `00-${unsampled}-${PARENT}-00` });
    expect(reply.headers.get('traceresponse')).toMatch(new RegExp(`^00-${unsampled}-[0-9a-f]{16}-00$`));
    await collector.traceOf(traceIn(await post(service, FERN))); // sent later, and there
    expect(collector.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
    const line = await until('its line', async () => service.log.find((each) => each.traceId === unsampled));
    expect(line).toMatchObject({ status: 200, msg: 'request' });
  });

  test('probes are not traced', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const reply = await fetch(service.url + path);
      expect(reply.headers.get('traceresponse')).toBeNull();
      await reply.text();
    }
    await collector.traceOf(traceIn(await post(service, FERN))); // sent later, and there
    expect(collector.spans.filter(({ name }) => /healthz|readyz|metrics/.test(name))).toEqual([]);
  });
});

test('a stop sends the spans that still wait', async () => {
  const collector = await startCollector();
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  });
  expect((await post(service, FERN, SAMPLED)).status).toBe(200);
  expect(collector.spans).toEqual([]);
  expect(await service.end()).toBe(0);
  collector.close();
  expect(collector.spans.map(({ name }) => name).toSorted()).toEqual(['POST /plants', 'commit']);
  expect(service.log.at(-1)).toMatchObject({ msg: 'stopped' });
});

test('a failing store is an error of the service, in the request and in the commit', async () => {
  const collector = await startCollector();
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    DATABASE_URL: `postgres://user@127.0.0.1:${await freePort()}/plants`,
  });
  const reply = await post(service, FERN);
  expect(reply.status).toBe(503);
  const trace = await collector.traceOf(traceIn(reply));
  expect(named(trace, 'POST /plants')).toMatchObject({ status: 2, attributes: { 'error.type': '503' } });
  expect(named(trace, 'commit')).toMatchObject({
    status: 2,
    attributes: { 'error.type': 'StoreUnavailable' },
  });
  await service.end();
  collector.close();
});

test('while the collector is down the service serves, warns once, and stops in time', async () => {
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '50', // too short for a second attempt
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_BSP_MAX_QUEUE_SIZE: '4',
  });
  const warnings = () => service.log.filter(({ msg }) => String(msg).startsWith('OpenTelemetry reports'));
  for (let round = 0; round < 20; round += 1) {
    const replies = await Promise.all(Array.from({ length: 10 }, () => post(service, FERN)));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
  }
  await until('the warning in the log', async () => warnings()[0]);
  const { result, took } = await timed(service.end());
  expect(result).toMatchObject({ value: 0 });
  expect(took).toBeLessThan(5000);
  expect(warnings()).toEqual([expect.objectContaining({ level: 40, reason: expect.stringMatching(/./) })]);
});

test('an unknown sampler is a warning, and all traces are kept', async () => {
  const collector = await startCollector();
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'some' });
  await collector.traceOf(traceIn(await post(service, FERN)));
  await service.end();
  collector.close();
  expect(service.log).toContainEqual(
    expect.objectContaining({ level: 40, reason: expect.stringContaining('OTEL_TRACES_SAMPLER') }),
  );
});

test('the ratio of a sampler is the share of traces that is kept', async () => {
  const collector = await startCollector();
  const service = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  await post(service, FERN);
  await post(service, FERN, SAMPLED);
  const trace = await collector.traceOf(TRACE);
  await service.end();
  collector.close();
  expect(collector.spans).toEqual(trace);
});

test('a collector that never answers delays a stop by about two seconds, not by its whole timeout', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  const asked = once(silent, 'request');
  await once(silent, 'listening');
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(silent) });
  expect((await post(service, FERN)).status).toBe(200);
  await asked;
  const { result, took } = await timed(service.end());
  silent.closeAllConnections();
  silent.close();
  expect(result).toMatchObject({ value: 0 });
  expect(took).toBeLessThan(8000);
  expect(service.log.at(-1)).toMatchObject({ msg: 'stopped' });
});

describe('the loaded modules', () => {
  const BIN = fileURLToPath(new URL('../../dist/bin', import.meta.url));

  /** Runs the service for one create. `sdk` is which of the files that it loaded hold the SDK of OpenTelemetry. */
  const runOnce = async (settings: Settings) => {
    const coverage = await makeFolder();
    const service = await start({ ...settings, NODE_V8_COVERAGE: coverage });
    const reply = await post(service, FERN, SAMPLED);
    await service.end();
    const reports = await Promise.all(
      (await readdir(coverage)).map((file) => readFile(join(coverage, file), 'utf8')),
    );
    const programs = (await readdir(BIN)).filter((name) => name.endsWith('.js'));
    const loaded = programs.filter((name) => reports.some((report) => report.includes(`/dist/bin/${name}"`)));
    expect(loaded).toContain('main.js');
    const texts = await Promise.all(loaded.map((name) => readFile(join(BIN, name), 'utf8')));
    const sdk = loaded.filter((_, index) => texts[index]?.includes('BatchSpanProcessor'));
    return { status: reply.status, traceresponse: reply.headers.get('traceresponse'), sdk, log: service.log };
  };

  test('without an endpoint nothing of it is loaded, and no reply or log line has a trace', async () => {
    const run = await runOnce({ OTEL_SERVICE_NAME: 'garden', OTEL_TRACES_SAMPLER: 'of-another-program' });
    expect(run).toMatchObject({ status: 200, traceresponse: null, sdk: [] });
    expect(run.log.filter((line) => 'traceId' in line)).toEqual([]);
  });

  test('OTEL_SDK_DISABLED turns it off', async () => {
    const collector = await startCollector();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    expect(await runOnce({ ...settings, OTEL_SDK_DISABLED: 'true' })).toMatchObject({ status: 200, sdk: [] });
    expect(collector.requests).toEqual([]);
    expect(await runOnce(settings)).toMatchObject({ status: 200, sdk: [expect.any(String)] });
    expect(collector.requests.length).toBeGreaterThan(0);
    collector.close();
  });
});

test('a bad setting stops the start with one line that names it', async () => {
  const { code, output } = await runProcess(await makeFolder(), {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
  });
  expect(code).toBe(1);
  expect(JSON.parse(output).msg).toMatch(/^cannot start: OTEL_EXPORTER_OTLP_ENDPOINT must be /);
});

test('the commit of a worker is in the trace of its request', async () => {
  const collector = await startCollector();
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, WORKERS: '2' });
  expect((await post(service, FERN, SAMPLED)).status).toBe(200);
  const trace = await collector.traceOf(TRACE);
  expect(named(trace, 'commit').parentId).toBe(named(trace, 'POST /plants').spanId);
  await service.end();
  collector.close();
});
