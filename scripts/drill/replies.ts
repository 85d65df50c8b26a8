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
  /** Where the last whole reply ends. */
  readonly end: number;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e]*$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/;
const LENGTH = /^(0|[1-9]\d*)$/;

const parseHead = (text: string): Pick<WireReply, 'status' | 'headers'> | string => {
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

/** Parses replies strictly. None of them answers HEAD; only a 204 has no body. */
export const parseReplies = (bytes: Buffer): Replies => {
  const replies: WireReply[] = [];
  let end = 0;
  const stop = (flaw: string): Replies => ({ replies, flaw, end });
  for (let start = 0; start < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', start);
    if (headEnd < 0) return stop('the header of a reply does not end');
    const head = parseHead(bytes.toString('latin1', start, headEnd));
    if (typeof head === 'string') return stop(head);
    const { status, headers } = head;
    start = headEnd + 4;
    if (status < 200) {
      if (status !== 100 || headers.size > 0) return stop(`a ${status} that nobody asked for`);
      if (start === bytes.length) return stop('nothing follows a 100');
      continue;
    }
    const length = headers.get('content-length') ?? (status === 204 ? '0' : '');
    if (!LENGTH.test(length)) return stop('a reply without its length');
    if (start + Number(length) > bytes.length) return stop('a reply shorter than its length');
    end = start + Number(length);
    replies.push({ ...head, text: bytes.toString('utf8', start, end) });
    start = end;
  }
  return { replies, end };
};
