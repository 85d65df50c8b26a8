import type { IncomingMessage } from 'node:http';

/** The paths that monitoring asks again and again. */
export const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether a request is a probe. Probes are answered even while other requests have to wait. */
export const isProbe = ({ url }: IncomingMessage): boolean => PROBES.has(url);
