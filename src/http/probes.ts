import type { IncomingMessage } from 'node:http';

/** What machines ask again and again, to learn how the service is doing. */
export const PROBES: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether a request asks how the service is doing, which matters most while others have to wait. */
export const isProbe = ({ url }: IncomingMessage): boolean => PROBES.has(url);
