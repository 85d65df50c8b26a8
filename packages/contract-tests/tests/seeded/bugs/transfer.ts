import { type Candidates, station } from '../candidate.ts';
import type { Answer, Asked, StationVariant } from '../service/station.ts';

type Path = '/events' | '/data' | '/lines' | '/records' | '/parts' | '/report' | '/note' | '/upload';

/** Changes the answers of a path. */
export const at = (path: Path, change: (right: Answer, asked: Asked) => Partial<Answer>): StationVariant => ({
  answers: (right, asked) =>
    asked.path === path && right.status !== 405 ? { ...right, ...change(right, asked) } : right,
});

/** Changes the text of the answers of a path. */
export const text = (path: Path, change: (text: string) => string | Buffer): StationVariant =>
  at(path, ({ body }) => ({ body: change(body.toString()) }));

/** Reads a request without a field. */
const ignores = (field: string): StationVariant => ({
  reads: (asked) => ({ ...asked, headers: { ...asked.headers, [field]: undefined } }),
});

/** Changes the answers to ranges. */
const parts = (change: (right: Answer, asked: Asked) => Partial<Answer>): StationVariant =>
  at('/report', (right, asked) => (right.status === 206 ? change(right, asked) : right));

/** Changes a header field. */
export const header = (name: string, value: string) => (right: Answer) => ({
  headers: { ...right.headers, [name]: value },
});

/** Sends something at every tick, or nothing more, until the client leaves. */
export const goOnWith =
  (more: string): NonNullable<Answer['goOn']> =>
  (response) => {
    const timer = setInterval(() => more !== '' && response.write(more), 5);
    response.on('close', () => clearInterval(timer));
  };

/** Sends a stream and then continues without an end. */
const endless = (path: Path, more = ''): StationVariant => at(path, () => ({ goOn: goOnWith(more) }));

/** Reads a body as if each piece were one by itself. */
const readsPieces = (path: Path, read: (pieces: readonly Buffer[]) => Buffer): StationVariant => ({
  reads: (asked) => (asked.path === path ? { ...asked, pieces: [read(asked.pieces)] } : asked),
});

/** What goes wrong in a stream. */
export const STREAM_BUGS: Candidates = {
  'sends an event that the contract does not know': station(
    text('/events', (body) => body.replace('event: read', 'event: wrote')),
    'watchEvents',
    /item 1 of the stream\/event/,
  ),
  'sends wrong data in its last event': station(
    text('/events', (body) => body.replace('"at":3', '"at":"3"')),
    'watchEvents',
    /item 3 of the stream\/data\/at must be integer/,
  ),
  'sends data that is no JSON': station(
    text('/data', (body) => body.replace('{"at":2}', 'soon')),
    'watchData',
    /item 2 of the stream must be object/,
  ),
  'sends JSON in place of events': station(
    text('/data', () => '{"at":1}\n{"at":2}\n'),
    'watchData',
    /a line that is no field of an event: "\{\\"at\\":1\}"/,
  ),
  'forgets the empty line after its last event': station(
    text('/data', (body) => body.slice(0, -1)),
    'watchData',
    /no empty line behind it/,
  ),
  'sends no event where there is at least one': station(
    text('/events', () => ''),
    'watchEvents',
    /the stream must NOT have fewer than 1 items/,
  ),
  'sends a word for retry': station(
    text('/events', (body) => `retry: soon\n\n${body}`),
    'watchEvents',
    /retry of an event is no number/,
  ),
  'sends events in Latin-1': station(
    text('/data', (body) => Buffer.from(`: é\n\n${body}`, 'latin1')),
    'watchData',
    /the body is not valid utf-8/,
  ),
  'sends a wrong item after many right ones, without an end': station(
    at('/lines', () => ({
      goOn: (response) => void response.write(`${'{"at":4}\n'.repeat(20)}{"at":null}\n`),
    })),
    'readLines',
    /item 24 of the stream\/at must be integer.*\n.*--max-time 5/,
  ),
  'sends two values in a line': station(
    text('/lines', (body) => body.replace('\n', ' ')),
    'readLines',
    /item 1 of the stream is not JSON/,
  ),
  'sends half a line at the end': station(
    text('/lines', (body) => body.slice(0, -4)),
    'readLines',
    /item 3 of the stream is not JSON/,
  ),
  'sends lines in place of records': station(
    text('/records', (body) => body.replaceAll('\u001e', '')),
    'readRecords',
    /does not begin with a record separator/,
  ),
  'ends records without a line feed': station(
    text('/records', (body) => body.replaceAll('\n', '')),
    'readRecords',
    /item 1 of the stream does not end with a line feed/,
  ),
  'cuts a stream off': station(
    at('/lines', () => ({ goOn: (response) => setTimeout(() => response.destroy(), 30) })),
    'readLines',
    /the reply was cut off after 27 bytes of its body/,
  ),
  'stalls in the middle of an item': station(
    at('/lines', ({ body }) => ({ body: `${body}{"at":`, goOn: () => {} })),
    'readLines',
    /no answer: none within 1 s; the reply stalled after 33 bytes of its body/,
  ),
  'stalls in the middle of a body': station(
    at('/report', () => ({ headers: { 'Content-Length': '301' }, goOn: () => {} })),
    'readReport',
    /the reply stalled after 300 of 301 bytes of its body/,
  ),
};

/** What goes wrong in ranges, conditions, and bodies in pieces. */
export const TRANSFER_BUGS: Candidates = {
  'counts ranges from one': station(
    parts(header('Content-Range', 'bytes 1-1/300')),
    'readReport',
    /Content-Range bytes 1-1\/300, where bytes 0-0\/300 is right/,
  ),
  'sends one byte too many of a range': station(
    parts(({ body }) => ({ body: Buffer.concat([Buffer.from(body), Buffer.from('x')]) })),
    'readReport',
    /the body is not this range of the whole/,
  ),
  'takes a suffix for a start': station(
    {
      reads: (asked) => ({
        ...asked,
        headers: { ...asked.headers, range: asked.headers.range?.replace('=-', '=0-') },
      }),
    },
    'readReport',
    /Range: bytes=-1: Content-Range bytes 0-1\/300/,
  ),
  'answers a range beyond the end with nothing': station(
    at('/report', (right) => (right.status === 416 ? { status: 206, body: '' } : right)),
    'readReport',
    /expected 416 or 200, got 206/,
  ),
  'says a wrong size with 416': station(
    at('/report', (right) => (right.status === 416 ? header('Content-Range', 'bytes */7')(right) : right)),
    'readReport',
    /Content-Range bytes \*\/7, where bytes \*\/300 is right/,
  ),
  'ignores If-Range': station(ignores('if-range'), 'readReport', /If-Range.*: expected 200, got 206/),
  'fails on a range': station(
    parts(() => ({ status: 500 })),
    'readReport',
    /status 500: the service failed/,
  ),
  'ignores If-None-Match': station(ignores('if-none-match'), 'readNote', /expected 304, got 200/),
  'knows no list of tags': station(
    {
      reads: (asked) =>
        asked.headers['if-none-match']?.includes(',')
          ? { ...asked, headers: { ...asked.headers, 'if-none-match': undefined } }
          : asked,
    },
    'readNote',
    /expected 304, got 200/,
  ),
  'takes any tag for the current one': station(
    {
      reads: (asked) =>
        asked.headers['if-none-match'] ? { ...asked, headers: { 'if-none-match': '*' } } : asked,
    },
    'readNote',
    /expected 200, got 304/,
  ),
  'leaves the ETag out of a 304': station(
    at('/note', (right) => (right.status === 304 ? { headers: {} } : right)),
    'readNote',
    /304 with ETag missing/,
  ),
  'writes an ETag without quotes': station(
    at('/note', (right) => ({
      headers: {
        ...right.headers,
        ...(right.headers.ETag && { ETag: right.headers.ETag.replaceAll('"', '') }),
      },
    })),
    'readNote',
    /the header ETag is no entity tag/,
  ),
  'ignores If-Match': station(ignores('if-match'), 'putNote', /expected 412, got 200/),
  'refuses a change and makes it': station(
    {
      answers: (right, { path }, keep) => {
        if (path === '/note' && right.status === 412) keep('{"text":"changed"}');
        return right;
      },
    },
    'putNote',
    /a change that was refused with 412 was made/,
  ),
  'refuses the current tag': station(
    {
      reads: (asked) =>
        asked.headers['if-match'] ? { ...asked, headers: { ...asked.headers, 'if-match': '"no"' } } : asked,
    },
    'putNote',
    /a valid request was refused with 412/,
  ),
  'reads each piece of a text by itself': station(
    readsPieces('/note', (pieces) => Buffer.from(pieces.map((piece) => piece.toString('utf8')).join(''))),
    'putNote',
    /a body in pieces: another reply than when it was sent whole/,
  ),
  'reads only the first piece': station(
    readsPieces('/upload', ([first = Buffer.alloc(0)]) => first),
    'upload',
    /a body in pieces: a valid request was refused with 400/,
  ),
  'loses a boundary between two pieces': station(
    readsPieces('/upload', (pieces) =>
      pieces.some((piece) => piece.toString().endsWith('\r\n-')) ? Buffer.from('') : Buffer.concat(pieces),
    ),
    'upload',
    /a body in pieces: a valid request was refused with 400/,
  ),
  'inflates only the first piece': station(
    {
      reads: (asked) =>
        asked.headers['content-encoding'] === 'gzip' ? { ...asked, pieces: asked.pieces.slice(0, 1) } : asked,
    },
    'putNote',
    /a body in gzip and in pieces: a valid request was refused with 400/,
  ),
};

/** Right stations: "a service that …" keeps its contract. */
export const TRANSFER_MANNERS: Candidates = {
  'streams its items': station({}),
  'never ends its events': station(endless('/events', 'data: {"at":4}\n\n'), 'watchEvents'),
  'is silent after its first events': station(endless('/events'), 'watchEvents'),
  'sends comments while it has no events': station(endless('/data', ':\n'), 'watchData'),
  'sends only a retry interval': station(
    at('/data', () => ({ body: '\ufeffretry: 100\n', goOn: () => {} })),
    'watchData',
  ),
  'writes events with carriage returns': station(
    text('/events', (body) => body.replaceAll('\n', '\r\n').replaceAll(': ', ':')),
    'watchEvents',
  ),
  'splits data over several lines': station(
    text('/data', (body) => body.replaceAll('{', '{\ndata:')),
    'watchData',
  ),
  'never ends its lines': station(endless('/lines', '{"at":4}\n'), 'readLines'),
  'keeps lines alive with empty ones': station(endless('/lines', '\n'), 'readLines'),
  'ends its last line with its last item': station(
    text('/lines', (body) => body.trimEnd()),
    'readLines',
  ),
  'sends its items in small pieces': station(
    at('/records', ({ body }) => ({
      body: body.slice(0, 3),
      goOn: (response) => void setTimeout(() => response.end(body.slice(3)), 500),
    })),
    'readRecords',
  ),
  'sends the whole for every range': station(ignores('range'), 'readReport'),
  'does not send the length of a file': station(
    parts((right) => header('Content-Range', `${right.headers['Content-Range']}`.replace('300', '*'))(right)),
    'readReport',
  ),
  'answers each request with another report': station(
    at('/report', ({ headers }) => ({ status: 200, body: `${Math.random()}`, headers })),
    'readReport',
  ),
};
