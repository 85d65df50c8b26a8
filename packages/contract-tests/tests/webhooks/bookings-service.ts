import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ownMember } from '@trellis/openapi/internal/json';

/** The contract of the service below. */
export const BOOKINGS_FILE = fileURLToPath(new URL('bookings.yaml', import.meta.url));

export const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, or').toString('base64')}`;

/** A free port. */
export const freePort = async (): Promise<number> => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
};

/** A request that the service sends. */
export interface Outgoing {
  readonly name: string;
  readonly url: string;
  readonly method: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string;
  /** In seconds. */
  readonly age?: number;
}

/** Changes a webhook to make it wrong; undefined sends nothing. */
export type Change = (outgoing: Outgoing) => Outgoing | undefined;

const send = async ({ url, method, contentType, body = '', headers, secret = SECRET, age = 0 }: Outgoing) => {
  const timestamp = Math.floor(Date.now() / 1000) - age;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
  await fetch(url, {
    method,
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')} v1,${signature}`,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...headers,
    },
    ...(body !== '' && { body }),
  });
};

interface Booking {
  readonly seat: string;
  readonly receiver: { readonly url: string };
}

const isBooking = (value: unknown): value is Booking =>
  typeof ownMember(value, 'seat') === 'string' &&
  typeof ownMember(ownMember(value, 'receiver'), 'url') === 'string';

/** A service without Trellis that books seats, and tells the receiver at a URL of it. Close it when done. */
export const startBookings = async (receiver: string, change: Change = (outgoing) => outgoing) => {
  let count = 9_007_199_254_740_993n;
  const sent = new Set<Promise<void>>();
  const messagesOf = ({ seat, receiver: { url } }: Booking, tell: string | null): Outgoing[] => {
    const body = `{"id":${count},"seat":${JSON.stringify(seat)}}`;
    const contentType = 'application/json';
    count += 1n;
    const headers = { 'x-attempt': '1' };
    const cancelled = `${url}/cancelled?seat=${encodeURIComponent(seat)}`;
    return [
      {
        name: 'newBooking',
        url: `${receiver}/webhooks/newBooking`,
        method: 'POST',
        contentType,
        body,
        headers,
      },
      {
        name: 'soldOut',
        url: `${receiver}/webhooks/soldOut`,
        method: 'PUT',
        contentType: 'text/plain',
        body: 'no',
      },
      { name: 'paid', url, method: 'POST', contentType, body },
      { name: 'cancelled', url: cancelled, method: 'DELETE' },
      ...(tell === null ? [] : [{ name: 'seen', url: tell, method: 'POST' }]),
    ];
  };
  const server = createServer(async (request, reply) => {
    const { searchParams } = new URL(`http://host${request.url}`);
    const booking: unknown = await json(request).catch(() => undefined);
    if (!isBooking(booking))
      return void reply.writeHead(400, { 'content-type': 'application/json' }).end('{}');
    for (const message of messagesOf(booking, searchParams.get('tell'))) {
      const changed = change(message);
      if (!changed) continue;
      const sending = send(changed).catch(() => {}); // the tester has gone
      sent.add(sending);
      void sending.then(() => sent.delete(sending));
    }
    reply.writeHead(201).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    close: async () => {
      await Promise.all(sent);
      server.close();
      server.closeAllConnections();
    },
  };
};
