import { diag } from '@opentelemetry/api';
import { logDiagnostics } from '../../src/program/tracing/diagnostics.ts';

test('a report of OpenTelemetry is logged with all its parts, and others soon after it are not', () => {
  const told: object[] = [];
  logDiagnostics({ warn: (details) => told.push(details) });
  const exporter = diag.createComponentLogger({ namespace: 'exporter' });
  exporter.warn('the answer cannot be read:', 'too short');
  exporter.warn('the answer cannot be read, either');
  expect(told).toEqual([{ reason: 'exporter the answer cannot be read: too short' }]);
});
