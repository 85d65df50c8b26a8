import { parseChoice, parseInteger } from '../parse-setting.ts';

/** The samplers of the OpenTelemetry specification, without those of vendors. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * How traces are made and sent. The libraries read the rest from the environment: the name of the service, and all of
 * `OTEL_EXPORTER_OTLP_…`.
 */
export interface TracingSettings {
  readonly sampler: (typeof SAMPLERS)[number];
  /** The share of traces that a sampler by ratio keeps, 0 to 1. */
  readonly ratio: number;
  /** How many spans may wait to be sent; others are dropped. */
  readonly maxQueueSize: number;
  /** How many spans are sent in one request. */
  readonly maxBatchSize: number;
  /** How long a span waits for others at most, in milliseconds. */
  readonly delay: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const parseEndpoint = (text: string): void => {
  if (/^https?:\/\/[^/]/i.test(text) && URL.canParse(text)) return;
  throw new Error(
    'OTEL_EXPORTER_OTLP_ENDPOINT must be the http:// or https:// address of a collector, as in http://127.0.0.1:4318',
  );
};

/** The only protocol here. Most collectors take gRPC on another port, so another protocol is never a detail. */
const checkProtocol = (name: string, text: string): void => {
  if (text !== 'http/protobuf') throw new Error(`${name} must be http/protobuf, not "${text}"`);
};

/** The libraries would ignore what they cannot read. The values may be secrets, so the error does not repeat them. */
const checkPairs =
  (pair: RegExp, encoded: string) =>
  (name: string, text: string): void => {
    if (text.split(',').every((each) => pair.test(each) || each.trim() === '')) return;
    throw new Error(
      `${name} must be key=value pairs, separated by commas, with ${encoded} percent-encoded in values`,
    );
  };
const checkHeaders = checkPairs(/^\s*[\w!#$%&'*+.^`|~-]+\s*=[^;]*$/, ', and ;');
const checkAttributes = checkPairs(/^[^=]*[^=\s][^=]*=(?:[^=%]|%[\da-f]{2})*$/i, ', and =');

const parseSampler = (name: string, text: string): TracingSettings['sampler'] =>
  parseChoice(name, text, SAMPLERS);

const parseRatio = (name: string, text: string): number => {
  const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new Error(`${name} must be a number from 0 to 1, not "${text}"`);
};

const parseCount = (name: string, text: string): number => parseInteger(name, text, 1, 999_999_999);

/**
 * Reads the settings of tracing, under the names of the OpenTelemetry specification; `undefined` if it is off. While it
 * is off, nobody looks at the others: they may be there for other programs.
 */
export const readTracingSettings = (environment: Environment): TracingSettings | undefined => {
  const endpoint = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  parseEndpoint(endpoint);
  const read = <T>(name: string, fallback: T, parse: (name: string, text: string) => T): T => {
    const text = environment[name];
    return text ? parse(name, text) : fallback;
  };
  read('OTEL_EXPORTER_OTLP_PROTOCOL', undefined, checkProtocol);
  read('OTEL_EXPORTER_OTLP_HEADERS', undefined, checkHeaders);
  read('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, parseCount);
  read('OTEL_RESOURCE_ATTRIBUTES', undefined, checkAttributes);
  const maxQueueSize = read('OTEL_BSP_MAX_QUEUE_SIZE', 2048, parseCount);
  return {
    sampler: read('OTEL_TRACES_SAMPLER', 'parentbased_always_on', parseSampler),
    ratio: read('OTEL_TRACES_SAMPLER_ARG', 1, parseRatio),
    maxQueueSize,
    maxBatchSize: Math.min(read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, parseCount), maxQueueSize),
    delay: read('OTEL_BSP_SCHEDULE_DELAY', 5000, parseCount),
  };
};
