import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A received request. */
export interface Arrival extends Pick<IncomingMessage, 'headers'> {
  readonly method: string;
  readonly target: string;
  readonly body: Buffer;
}

/** The address of the receiver. */
export interface ReceiverPlace {
  /** A port of 127.0.0.1, or of all addresses if there is a URL; 0 picks a free port. */
  readonly port: number;
  /** The URL under which the service reaches this machine, if that is not 127.0.0.1. */
  readonly url?: string | undefined;
}

/**
 * Listens for webhooks and callbacks. Each is answered with 204, even if it is wrong: the service would repeat a rejected
 * one.
 */
export const openReceiver = async ({ port, url }: ReceiverPlace, take: (arrival: Arrival) => void) => {
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', headers } = request;
    take({ method, target, headers, body: await buffer(request) });
    reply.writeHead(204).end();
  };
  const server = createServer((request, reply) => {
    answer(request, reply).catch(() => reply.destroy()); // the service has hung up
  });
  server.listen(port, url === undefined ? '127.0.0.1' : undefined).unref();
  await once(server, 'listening');
  const address = server.address();
  return {
    url: url ?? `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`,
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const PREFIX = 'whsec_';

/** Whether a text is a secret of Standard Webhooks. */
export const isSecret = (text: string): boolean => /^whsec_[\w+/=-]{16,}$/.test(text);

/** The allowed clock difference in seconds. */
const TOLERANCE = 300;

/** Checks the signature of a webhook by Standard Webhooks; returns a message, or undefined if it is right. */
export const wrongSignature = ({ headers, body }: Arrival, secret: string): string | undefined => {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  for (const [name, value] of Object.entries({ id, timestamp, signature: signatures }))
    if (typeof value !== 'string' || value === '') return `the header webhook-${name} is missing`;
  if (!/^\d+$/.test(`${timestamp}`)) return 'webhook-timestamp is not a number of seconds';
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE)
    return 'webhook-timestamp is not within five minutes of now';
  const signed = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest();
  const isRight = `${signatures}`.split(' ').some((each) => {
    const [version, text = ''] = each.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === signed.length && timingSafeEqual(given, signed);
  });
  return isRight ? undefined : 'webhook-signature does not fit the secret';
};
