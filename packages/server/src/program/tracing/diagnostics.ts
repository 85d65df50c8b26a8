import { format } from 'node:util';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { codeOf } from '@trellis/openapi/internal/json';

/** Where trouble with traces is reported. */
export interface TracingLog {
  warn(details: object, message: string): void;
}

/** How often trouble is logged at most, in milliseconds: while the collector is away, every batch fails. */
const EVERY = 60_000;

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return message || codeOf(error);
};

/** Lets the libraries of OpenTelemetry warn in our log of what they cannot read or send. */
export const logDiagnostics = (log: TracingLog): void => {
  let loggedAt = Number.NEGATIVE_INFINITY;
  /** Some write the name of a component, and what it has to say after it. */
  const warn = (...parts: unknown[]): void => {
    if (performance.now() - loggedAt < EVERY) return;
    loggedAt = performance.now();
    log.warn({ reason: format(...parts) }, 'OpenTelemetry reports a problem; traces may be lost');
  };
  const ignore = (): void => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  setGlobalErrorHandler((error) => warn(reasonOf(error)));
};
