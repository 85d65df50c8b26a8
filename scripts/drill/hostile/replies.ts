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

/** Parses replies strictly. `isToHead` says whether the nth reply (from 0) answers a HEAD request and so has no body. */
export const parseReplies = (bytes: Buffer, isToHead: (index: number) => boolean): Replies => {
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
    const bodyEnd = bodyStart + (isToHead(replies.length) ? 0 : Number(length));
    if (bodyEnd > bytes.length) return { replies, flaw: 'a reply shorter than its length' };
    replies.push({ status, headers, text: bytes.toString('utf8', bodyStart, bodyEnd) });
    start = bodyEnd;
  }
  return { replies };
};
