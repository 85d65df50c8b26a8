type Environment = Readonly<Record<string, string | undefined>>;

/** With less than one span in a batch the library would send empty batches without end, and would never stop. */
const SIZES = ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'OTEL_BSP_MAX_QUEUE_SIZE'];

/**
 * Whether requests are traced. The OpenTelemetry libraries read their other settings themselves. A bad endpoint stops
 * the start, because nothing would be traced. Other invalid settings are reported by the libraries.
 */
export const readTracing = (environment: Environment): boolean => {
  const endpoint = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  for (const name of SIZES)
    if (Number(environment[name] || 1) < 1) throw new Error(`${name} must be at least 1`);
  if (/^https?:\/\/[^/]/i.test(endpoint) && URL.canParse(endpoint)) return true;
  throw new Error(
    'OTEL_EXPORTER_OTLP_ENDPOINT must be the http:// or https:// address of a collector, as in http://127.0.0.1:4318',
  );
};
