/** A reply as it was received. */
export interface WireReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** The replies in a stream of bytes, up to its end or to the first flaw. */
export interface Replies {
  readonly replies: readonly WireReply[];
  readonly flaw?: string;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e]*$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/;
const LENGTH = /^(0|[1-9]\d*)$/;

interface Head {
  readonly status: number;
  readonly headers: Map<string, string>;
}

const parseHead = (text: string): Head | string => {
  const [line = '', ...fields] = text.split('\r\n');
  const [, status] = STATUS_LINE.exec(line) ?? [];
  if (status === undefined) return 'the status line is not HTTP';
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name, value] = FIELD.exec(field) ?? [];
    if (name === undefined || value === undefined) return 'a header field is not HTTP';
    if (headers.has(name.toLowerCase())) return `${name} is there twice`;
    headers.set(name.toLowerCase(), value);
  }
  return { status: Number(status), headers };
};

/** Parses replies strictly. None of them answers HEAD, so each has a body. */
export const parseReplies = (bytes: Buffer): Replies => {
  const replies: WireReply[] = [];
  for (let start = 0; start < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', start);
    if (headEnd < 0) return { replies, flaw: 'the header of a reply does not end' };
    const head = parseHead(bytes.toString('latin1', start, headEnd));
    if (typeof head === 'string') return { replies, flaw: head };
    const { status, headers } = head;
    const bodyStart = headEnd + 4;
    if (status < 200) {
      if (status !== 100 || headers.size > 0) return { replies, flaw: `a ${status} that nobody asked for` };
      start = bodyStart;
      if (start === bytes.length) return { replies, flaw: 'nothing follows a 100' };
      continue;
    }
    const length = headers.get('content-length') ?? '';
    if (!LENGTH.test(length)) return { replies, flaw: 'a reply without its length' };
    const bodyEnd = bodyStart + Number(length);
    if (bodyEnd > bytes.length) return { replies, flaw: 'a reply shorter than its length' };
    replies.push({ status, headers, text: bytes.toString('utf8', bodyStart, bodyEnd) });
    start = bodyEnd;
  }
  return { replies };
};

/** The errors that a request can be refused with. The drill has its own list, so that a mistake in the service's is found. */
const CODES: readonly number[] = [
  40001, 40002, 40003, 40101, 40102, 40401, 40501, 40801, 40901, 41301, 41501, 43101,
];

/** The header field that a status requires (RFC 9110, sections 11.6.1, 10.2.1). */
const REQUIRED_FIELDS = new Map([
  [401, 'www-authenticate'],
  [405, 'allow'],
]);

type Body = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a JSON object. Returns an empty one, which is never right, for anything else. */
const parseObject = (text: string): Body => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

const hasOnly = (body: Body, ...names: string[]): boolean =>
  Object.keys(body).every((name) => names.includes(name));

const isPlant = (body: Body): boolean =>
  hasOnly(body, 'name', 'tag') &&
  typeof body.name === 'string' &&
  (!Object.hasOwn(body, 'tag') || typeof body.tag === 'string');

const isError = (body: Body): boolean =>
  hasOnly(body, 'error', 'message') && typeof body.message === 'string' && body.message !== '';

/** Reads what a reply says, which is 200 or the number of an error, or what is wrong with it. */
export const readOutcome = ({
  status,
  headers,
  text,
}: WireReply): { readonly outcome: number; readonly body: Body } | { readonly flaw: string } => {
  if (status >= 500) return { flaw: `status ${status}` };
  if (headers.get('content-type') !== 'application/json')
    return { flaw: 'a reply that is not application/json' };
  const body = parseObject(text);
  if (status === 200) return isPlant(body) ? { outcome: 200, body } : { flaw: 'a 200 that is no Plant' };
  if (status < 400) return { flaw: `status ${status}` };
  if (!isError(body)) return { flaw: 'a refusal that is no Error' };
  const { error: outcome } = body;
  if (typeof outcome !== 'number' || !CODES.includes(outcome) || Math.floor(outcome / 100) !== status)
    return { flaw: `error ${outcome} does not go with status ${status}` };
  const required = REQUIRED_FIELDS.get(status);
  return required && !headers.get(required) ? { flaw: `a ${status} without ${required}` } : { outcome, body };
};
