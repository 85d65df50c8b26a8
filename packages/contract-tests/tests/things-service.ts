import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serve } from './serve.ts';

/** The contract of the service below. */
export const THINGS_FILE = fileURLToPath(new URL('things.yaml', import.meta.url));

/** The line of the contract with the first occurrence of a text after another text. */
export const lineOf = async (wanted: string, after = ''): Promise<number> => {
  const contract = await readFile(THINGS_FILE, 'utf8');
  const start = contract.indexOf(wanted, contract.indexOf(after));
  if (start < 0) throw new Error(`${wanted} does not stand in the contract`);
  return contract.slice(0, start).split('\n').length;
};

export const THINGS_TOKEN = 'a-token-for-things';

/** The behaviour of a service; a test may replace each part by a wrong one. */
export interface Behaviour {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (thing: unknown) => unknown;
  readonly refusal: (status: number) => unknown;
  readonly isKnown: (authorization: string | undefined) => boolean;
  readonly isMediaType: (contentType: string | undefined) => boolean;
  readonly isLimit: (limit: string) => boolean;
  readonly isThing: (thing: unknown) => boolean;
  /** Waits before it answers. */
  readonly delay: (body: string) => Promise<void>;
  /** Closes the connection instead of answering to a POST. */
  readonly hangsUp: boolean;
  /** Stops after this many requests. */
  readonly leavesAfter: number;
}

const isThing = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  [...value.name].length <= 5 &&
  Object.keys(value).length === 1;

const RIGHT: Behaviour = {
  status: 200,
  headers: { 'Content-Type': 'application/json', 'X-Version': '1' },
  body: (thing) => thing,
  refusal: (status) => ({ error: status * 100 + 1, message: 'no' }),
  isKnown: (authorization) => authorization?.replace(/^bearer/i, 'Bearer') === `Bearer ${THINGS_TOKEN}`,
  isMediaType: (contentType) => /^application\/json *(;|$)/i.test(contentType ?? ''),
  isLimit: (limit) => /^[1-9]\d*$/.test(limit),
  isThing,
  delay: async () => {},
  hangsUp: false,
  leavesAfter: Number.POSITIVE_INFINITY,
};

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** The status that refuses a request; `undefined` if it is accepted. */
const refusalOf = (
  { method, headers, url = '' }: IncomingMessage,
  body: string,
  does: Behaviour,
): number | undefined => {
  const { pathname, searchParams } = new URL(`http://things${url}`);
  const limit = searchParams.get('limit');
  if (pathname !== '/things') return 404;
  if (method !== 'POST') return 405;
  if (!does.isKnown(headers.authorization)) return 401;
  if (body !== '' && !does.isMediaType(headers['content-type'])) return 415;
  if (limit !== null && !does.isLimit(limit)) return 400;
  return does.isThing(parse(body)) ? undefined : 400;
};

/** Starts a service that shares no code with ours, and deviates as a test asks. */
export const startThings = async (wrong: Partial<Behaviour> = {}) => {
  const does = { ...RIGHT, ...wrong };
  const bodies: string[] = [];
  const { url, close } = await serve(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    await does.delay(body);
    if (bodies.length > does.leavesAfter) void close();
    const hangsUp = does.hangsUp && request.method === 'POST';
    if (hangsUp || bodies.length > does.leavesAfter) return void request.socket.destroy();
    const refused = refusalOf(request, body, does);
    if (refused === undefined)
      response.writeHead(does.status, does.headers).end(JSON.stringify(does.body(parse(body))));
    else
      response
        .writeHead(refused, { 'Content-Type': 'application/json', ...(refused === 405 && { Allow: 'POST' }) })
        .end(JSON.stringify(does.refusal(refused)));
  });
  return { url, bodies, close };
};
