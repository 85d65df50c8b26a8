import type { IncomingMessage } from 'node:http';
import { cookieSchemes, createPreflights, replyHeaders, type WireReply } from '@trellis/contract/internal';
import type { CrossOriginFields } from './observe/exchange.ts';

/** Headers of replies that the service adds itself, or that errors carry. */
const OURS = ['X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'Location', 'traceresponse'];

/** How long a browser may cache a preflight, in seconds: the contract may change with the next start. */
const MAX_AGE = '600';

/** The field in which a preflight asks for headers. The contract decides what becomes of them, so all are granted. */
const ASKED = 'Access-Control-Request-Headers';

/** The method that a preflight asks for; `undefined` if the request is no preflight. */
const requestedMethod = ({ method, headers }: IncomingMessage): string | undefined => {
  const requested = headers['access-control-request-method'];
  return method === 'OPTIONS' && headers.origin !== undefined && requested ? requested : undefined;
};

/** Throws if a scheme uses cookies. Browsers send cookies from any page, so any page could act for a signed-in user. */
const checkAnyOrigin = ([scheme]: readonly string[]): void => {
  if (scheme !== undefined)
    throw new Error(
      `CORS_ORIGINS: * would let every page use the cookies of security scheme ${scheme}; name the origins instead`,
    );
};

/**
 * Compiles the access of pages of these origins, by the contract (CORS, section 3.2 of the Fetch standard). `*` matches all
 * origins. No origins: `undefined`.
 */
export const createCors = (document: unknown, origins: readonly string[]) => {
  if (origins.length === 0) return undefined;
  const methodsFor = createPreflights(document);
  const cookies = cookieSchemes(document);
  const isAny = origins.includes('*');
  if (isAny) checkAnyOrigin(cookies);

  const grantTo = (origin: string) => ({
    'Access-Control-Allow-Origin': origin,
    ...(cookies.length > 0 && { 'Access-Control-Allow-Credentials': 'true' }),
  });
  const exposed = replyHeaders(document, OURS).join(', ');
  const fieldsOf = (origin: string): CrossOriginFields => ({
    access: Object.entries({ ...grantTo(origin), 'Access-Control-Expose-Headers': exposed }).flat(),
    varies: !isAny,
  });
  const fields = new Map(origins.map((origin) => [origin, fieldsOf(origin)]));
  const toOthers: CrossOriginFields = { access: [], varies: !isAny };

  /** The entry that an origin falls under. */
  const entryOf = (origin = ''): string => (isAny && origin !== '' ? '*' : origin);

  return {
    /** The header fields of a reply; `undefined` for a preflight, which has its own. */
    fieldsFor(request: IncomingMessage): CrossOriginFields | undefined {
      if (requestedMethod(request) !== undefined) return undefined;
      return fields.get(entryOf(request.headers.origin)) ?? toOthers;
    },

    /** The reply that grants a preflight; `undefined` if the request is no preflight, or is not granted. */
    answerPreflight(request: IncomingMessage): WireReply | undefined {
      const method = requestedMethod(request);
      const origin = entryOf(request.headers.origin);
      if (method === undefined || !fields.has(origin)) return undefined;
      const methods = methodsFor(method, request.url ?? '');
      if (!methods) return undefined;
      const headers = request.headers[ASKED.toLowerCase()]?.toString();
      return {
        status: 204,
        headers: {
          ...grantTo(origin),
          'Access-Control-Allow-Methods': methods.join(', '),
          ...(headers !== undefined && { 'Access-Control-Allow-Headers': headers }),
          'Access-Control-Max-Age': MAX_AGE,
          Vary: isAny ? ASKED : `Origin, ${ASKED}`,
        },
        payload: '',
      };
    },
  };
};

/** The access of pages of other origins. */
export type Cors = NonNullable<ReturnType<typeof createCors>>;

const ACCESS = /^access-control-/i;
const VARY = /^vary$/i;

/**
 * Adds the header fields that let a page of another origin read a reply. They replace the fields that a handler set,
 * because a browser rejects a reply that has two of them.
 */
export const addCrossOrigin = (added: CrossOriginFields, fields: (string | number)[]): void => {
  let vary = 'Origin';
  for (let index = fields.length - 2; index >= 0; index -= 2) {
    const name = String(fields[index]);
    const isVary = added.varies && VARY.test(name);
    if (isVary) vary = `${fields[index + 1]}, ${vary}`;
    if (isVary || ACCESS.test(name)) fields.splice(index, 2);
  }
  fields.push(...added.access);
  if (added.varies) fields.push('Vary', vary);
};
