import { format } from 'node:util';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { codeOf } from '@trellis/openapi/internal/json';

/** Where trouble with traces is reported. */
export interface TracingLog {
  warn(details: object, message: string): void;
}

/** The shortest time between two warnings, in milliseconds: while the collector is unavailable, every batch fails. */
const EVERY = 60_000;

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return message || codeOf(error);
};

/** Logs warnings of the OpenTelemetry libraries, about unreadable settings and unsent spans. */
export const logDiagnostics = (log: TracingLog): void => {
  let loggedAt = Number.NEGATIVE_INFINITY;
  /** Some libraries pass the name of a component, and then its message. */
  const warn = (...parts: unknown[]): void => {
    if (performance.now() - loggedAt < EVERY) return;
    loggedAt = performance.now();
    log.warn({ reason: format(...parts) }, 'OpenTelemetry reports a problem; traces may be lost');
  };
  const ignore = (): void => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  setGlobalErrorHandler((error) => warn(reasonOf(error)));
};
