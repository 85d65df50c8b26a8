import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { serve } from '../../serve.ts';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const NOTHING = { description: '' };
const READING = { type: 'object', required: ['at'], properties: { at: { type: 'integer' } } };
const EVENT = {
  type: 'object',
  required: ['data'],
  properties: { event: { enum: ['read'] }, data: READING, id: { type: 'string' } },
};
const NOTE = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', minLength: 1 } },
  additionalProperties: false,
};
const WORD = { type: 'string', maxLength: 20 };
/** A reading, and words about it. */
const PARTS = {
  schema: { type: 'array', prefixItems: [READING], items: WORD, minItems: 2 },
  prefixEncoding: [{ contentType: 'application/json' }],
  itemEncoding: { contentType: 'text/plain' },
};
const CONTENT_ID = { 'Content-ID': { required: true, schema: { type: 'string', pattern: '^<.+>$' } } };
const ETAG = { headers: { ETag: { required: true, schema: { type: 'string' } } } };
const stream = (operationId: string, mediaType: string, schema: object) => ({
  get: { operationId, responses: { 200: { ...NOTHING, content: { [mediaType]: { schema } } } } },
});

/** The contract of a weather station: streams, a file, and a note that several people change. */
export const STATION = {
  openapi: '3.1.0',
  info: { title: 'Station', version: '1' },
  paths: {
    '/events': stream('watchEvents', 'text/event-stream', { type: 'array', items: EVENT, minItems: 1 }),
    '/data': stream('watchData', 'text/event-stream', READING),
    '/lines': stream('readLines', 'application/jsonl', READING),
    '/records': stream('readRecords', 'application/json-seq', { type: 'array', items: READING }),
    '/parts': {
      get: {
        operationId: 'readParts',
        responses: {
          200: {
            ...NOTHING,
            content: {
              'multipart/related': { ...PARTS, itemEncoding: { ...PARTS.itemEncoding, headers: CONTENT_ID } },
            },
          },
        },
      },
      post: {
        operationId: 'sendParts',
        requestBody: { required: true, content: { 'multipart/mixed': PARTS } },
        responses: {
          200: { ...NOTHING, ...json({ type: 'integer' }) },
          400: { ...NOTHING, ...json({}) },
          415: { ...NOTHING, ...json({}) },
        },
      },
    },
    '/report': {
      get: {
        operationId: 'readReport',
        responses: {
          200: { ...NOTHING, ...ETAG, content: { 'application/octet-stream': {} } },
          206: { ...NOTHING, content: { 'application/octet-stream': {} } },
          416: NOTHING,
        },
      },
    },
    '/note': {
      get: {
        operationId: 'readNote',
        responses: { 200: { ...NOTHING, ...ETAG, ...json(NOTE) }, 304: NOTHING },
      },
      put: {
        operationId: 'putNote',
        requestBody: { required: true, ...json(NOTE) },
        responses: {
          200: { ...NOTHING, ...json(NOTE) },
          400: { ...NOTHING, ...json({}) },
          412: NOTHING,
          415: { ...NOTHING, ...json({}) },
        },
      },
    },
    '/upload': {
      post: {
        operationId: 'upload',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
            },
          },
        },
        responses: { 200: { ...NOTHING, ...json({ type: 'integer' }) }, 400: { ...NOTHING, ...json({}) } },
      },
    },
  },
};

/** A request to a station. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The pieces in which the body came. */
  readonly pieces: readonly Buffer[];
}

/** An answer of a station, before it is written. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Writes the rest of the reply, which has no end yet. */
  readonly goOn?: (response: ServerResponse) => void;
}

/** The deviations of a station. */
export interface StationVariant {
  readonly reads?: (asked: Asked) => Asked;
  readonly answers?: (right: Answer, asked: Asked, keep: (text: string) => void) => Answer;
}

const say = (status: number, body: string | Buffer = '', headers: Answer['headers'] = {}): Answer => ({
  status,
  headers,
  body,
});
const refuse = (status: number) => say(status, '{}', { 'Content-Type': 'application/json' });
const tagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('hex').slice(0, 12)}"`;
const READINGS = [1, 2, 3].map((at) => JSON.stringify({ at }));
const REPORT = Buffer.from(Array.from({ length: 300 }, (_, index) => index % 256));

/** Answers with a body as a range asks for it. */
const ranged = ({ headers: { range, 'if-range': condition } }: Asked, body: Buffer): Answer => {
  const headers = { 'Content-Type': 'application/octet-stream', ETag: tagOf(body) };
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (from + to === '' || (condition !== undefined && condition !== headers.ETag))
    return say(200, body, headers);
  const first = from === '' ? Math.max(0, body.length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? body.length - 1 : Math.min(Number(to), body.length - 1);
  if (first > last) return say(416, '', { 'Content-Range': `bytes */${body.length}` });
  const part = { ...headers, 'Content-Range': `bytes ${first}-${last}/${body.length}` };
  return say(206, body.subarray(first, last + 1), part);
};

const matches = (condition: string, tag: string): boolean =>
  condition === '*' || condition.split(/ *, */).some((each) => each.replace(/^W\//, '') === tag);

const textIn = ({ pieces, headers }: Asked): string => {
  const bytes = Buffer.concat(pieces);
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
};

/** The text before, between and after the delimiters of a multipart body; undefined for other bodies. */
const piecesIn = (asked: Asked): string[] => {
  const [, boundary = ''] =
    /^multipart\/(?:form-data|mixed) *; *boundary=(.+)$/i.exec(asked.headers['content-type'] ?? '') ?? [];
  return boundary === '' ? [] : textIn(asked).split(`--${boundary}`);
};

const isReading = (text: string): boolean => {
  try {
    return Number.isInteger(JSON.parse(text)?.at);
  } catch {
    return false;
  }
};

const takeParts = (asked: Asked): Answer => {
  if (!/^multipart\/mixed\b/i.test(asked.headers['content-type'] ?? '')) return refuse(415);
  const pieces = piecesIn(asked);
  const [reading = '', ...words] = pieces
    .slice(1, -1)
    .map((piece) => piece.replace(/^.*?\r\n\r\n/s, '').slice(0, -2));
  const isRight = words.length > 0 && isReading(reading) && words.every((word) => [...word].length <= 20);
  return isRight && pieces.at(-1) === '--\r\n'
    ? say(200, `${words.length}`, { 'Content-Type': 'application/json' })
    : refuse(400);
};

const partOf = (type: string, body: string, more = ''): string =>
  `--part\r\nContent-Type: ${type}\r\n${more}\r\n${body}\r\n`;
const SENT_PARTS = [
  partOf('application/json', '{"at":1}'),
  partOf('text/plain', 'sunny', 'Content-ID: <1>\r\n'),
  partOf('text/plain; charset=utf-8', 'märz', 'Content-ID: <2>\r\n'),
];

/** A note is all that a station keeps. */
const createAnswers = () => {
  let note = '{"text":"sunny"}';
  const keep = (text: string): void => {
    note = text;
  };
  const put = (asked: Asked): Answer => {
    if (!/^application\/json *(;|$)/i.test(asked.headers['content-type'] ?? '')) return refuse(415);
    try {
      const { text, ...more } = JSON.parse(textIn(asked));
      if (typeof text !== 'string' || text === '' || Object.keys(more).length > 0) return refuse(400);
      const condition = asked.headers['if-match'];
      if (condition !== undefined && !matches(condition, tagOf(note))) return say(412);
      keep(JSON.stringify({ text }));
    } catch {
      return refuse(400);
    }
    return say(200, note, { 'Content-Type': 'application/json' });
  };
  const get = ({ headers }: Asked): Answer => {
    const ETag = tagOf(note);
    const condition = headers['if-none-match'];
    if (condition !== undefined && matches(condition, ETag)) return say(304, '', { ETag });
    return say(200, note, { ETag, 'Content-Type': 'application/json' });
  };
  const streamed = (type: string, write: (reading: string) => string) =>
    say(200, READINGS.map(write).join(''), { 'Content-Type': type });
  const upload = (asked: Asked): Answer => {
    const text = textIn(asked);
    const parts = piecesIn(asked);
    const isWhole = parts.length > 2 && parts.at(-1) === '--\r\n' && text.includes('name="title"');
    return isWhole ? say(200, `${parts.length}`, { 'Content-Type': 'application/json' }) : refuse(400);
  };
  const routes: Readonly<Record<string, Readonly<Record<string, (asked: Asked) => Answer>>>> = {
    '/events': { GET: () => streamed('text/event-stream', (at) => `event: read\ndata: ${at}\n\n`) },
    '/data': { GET: () => streamed('text/event-stream', (at) => `data: ${at}\n\n`) },
    '/lines': { GET: () => streamed('application/jsonl', (at) => `${at}\n`) },
    '/records': { GET: () => streamed('application/json-seq', (at) => `\u001e${at}\n`) },
    '/parts': {
      GET: () =>
        say(200, `${SENT_PARTS.join('')}--part--\r\n`, {
          'Content-Type': 'multipart/related; boundary=part',
        }),
      POST: takeParts,
    },
    '/report': { GET: (asked) => ranged(asked, REPORT) },
    '/note': { GET: get, PUT: put },
    '/upload': { POST: upload },
  };
  const answer = (asked: Asked): Answer => {
    const methods = routes[asked.path];
    if (!methods) return say(404);
    const method = asked.method === 'HEAD' ? 'GET' : asked.method;
    return methods[method]?.(asked) ?? say(405, '', { Allow: Object.keys(methods).join() });
  };
  return { answer, keep };
};

/** Starts a station, or a variant of it, on a free port. */
export const startStation = ({ reads, answers }: StationVariant = {}) => {
  const { answer, keep } = createAnswers();
  return serve(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { method = '', url = '', headers } = request;
    const came = { method, path: url.split('?')[0] ?? '', headers, pieces };
    const asked = reads?.(came) ?? came;
    const right = answer(asked);
    const { status, headers: fields, body, goOn } = answers?.(right, asked, keep) ?? right;
    const isStream = goOn !== undefined || /stream|jsonl|seq|related/.test(fields['Content-Type'] ?? '');
    const hasLength = ![204, 304].includes(status) && !isStream;
    response.writeHead(status, {
      ...(hasLength && { 'Content-Length': `${Buffer.byteLength(body)}` }),
      ...fields,
    });
    if (method === 'HEAD' || !goOn) return response.end(body);
    response.write(body);
    return goOn(response);
  });
};
