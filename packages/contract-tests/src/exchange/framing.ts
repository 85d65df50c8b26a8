import type { SequenceKind } from '@trellis/openapi/internal/http';
import type { Members } from '../values/json.ts';

/** An item of a sequence: its text, and the fields of an event. */
export interface Item {
  readonly text: string;
  readonly event?: Members;
}

/** A sequence split into items by its media type. */
interface Sequence {
  readonly items: readonly Item[];
  /** A framing error that makes clients lose data. */
  readonly fault: string | undefined;
  /** Whether it ends in the middle of an item. */
  readonly isCut: boolean;
}

const isBlank = (text: string): boolean => text.trim() === '';

/** The start of a line, for messages. */
const shown = (line: string): string => JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);

/** JSON texts, one per line. The last line feed is optional, and empty lines keep a connection alive. */
const readLines = (text: string, isOpen: boolean): Sequence => {
  const lines = text.split('\n');
  const rest = isOpen ? (lines.pop() ?? '') : '';
  const items = lines.filter((line) => !isBlank(line)).map((line) => ({ text: line }));
  return { items, fault: undefined, isCut: !isBlank(rest) };
};

/** JSON texts, each between a record separator and a line feed (RFC 7464, section 2.2). */
const readRecords = (text: string, isOpen: boolean): Sequence => {
  const [before = '', ...records] = text.split('\u001e');
  const isCut = isOpen && !isBlank(records.at(-1) ?? '') && !text.endsWith('\n');
  const whole = (isCut ? records.slice(0, -1) : records).filter((record) => !isBlank(record));
  const unended = whole.findIndex((record) => !record.endsWith('\n'));
  const fault = isBlank(before)
    ? unended < 0
      ? undefined
      : `item ${unended + 1} of the stream does not end with a line feed`
    : `the stream does not begin with a record separator, but with ${shown(before)}`;
  return { items: whole.map((record) => ({ text: record })), fault, isCut };
};

const EVENT_FIELDS = ['event', 'id', 'retry'];

/** Events, each ended by an empty line (HTML, section 9.2.6). An event without data is ignored. */
const readEvents = (text: string, isOpen: boolean): Sequence => {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const rest = lines.pop() ?? '';
  const items: Item[] = [];
  let data: string[] = [];
  let fields: Record<string, string | number> = {};
  let fault: string | undefined;
  for (const line of lines) {
    const [name = ''] = line.split(':', 1);
    const value = line.slice(name.length + 1).replace(/^ /, '');
    if (line === '') {
      const joined = data.join('\n');
      if (data.length > 0) items.push({ text: joined, event: { ...fields, data: joined } });
      data = [];
      fields = {};
    } else if (name === 'data') data.push(value);
    else if (EVENT_FIELDS.includes(name)) {
      if (name === 'retry' && !/^\d+$/.test(value))
        fault ??= `retry of an event is no number: ${shown(line)}`;
      fields[name] = name === 'retry' ? Number(value) : value;
    } else if (name !== '') fault ??= `the stream has a line that is no field of an event: ${shown(line)}`;
  }
  // `retry` and `id` take effect without an empty line.
  const isCut = data.length > 0 || fields.event !== undefined || /^[^:]/.test(rest);
  if (isCut && !isOpen)
    fault ??= 'the last event of the stream has no empty line behind it, so clients drop it';
  return { items, fault, isCut };
};

const READERS = { lines: readLines, records: readRecords, events: readEvents };

/** Splits a sequence into items. The incomplete last item of an open stream is dropped. */
export const readSequence = (kind: SequenceKind, text: string, isOpen: boolean): Sequence =>
  READERS[kind](text, isOpen);

/** A part of a multipart body. */
export interface Part {
  /** Its headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** A parsed multipart body. */
interface Parts {
  readonly parts: readonly Part[];
  /** A framing error that makes clients lose data. */
  readonly fault: string | undefined;
}

/** The syntax of a boundary (RFC 2046, section 5.1.1). */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const PARAMETER = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i;
const FIELD = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/s;

const readFields = (head: string): Readonly<Record<string, string>> | string => {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n'); // a field may continue in the next line
  const fields: Record<string, string> = {};
  for (const line of lines.filter((each) => each !== '')) {
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === undefined)
      return `a line of its head is no header field: ${JSON.stringify(line.slice(0, 60))}`;
    fields[name.toLowerCase()] = value;
  }
  return fields;
};

/** Undoes the Content-Transfer-Encoding of a part (RFC 2045, section 6.8). */
const decode = (text: string, encoding = ''): Buffer =>
  Buffer.from(text, /^base64$/i.test(encoding) ? 'base64' : 'latin1');

/**
 * Parses a multipart body (RFC 2046, section 5.1). The last part of an open stream may be incomplete,
 * and is dropped.
 */
export const readParts = (contentType: string, body: Buffer, isOpen: boolean): Parts => {
  const [, quoted, plain] = PARAMETER.exec(contentType) ?? [];
  const boundary = quoted?.replace(/\\(.)/g, '$1') ?? plain;
  const wrong = (fault: string): Parts => ({ parts: [], fault });
  if (boundary === undefined) return wrong('Content-Type names no boundary of the parts');
  if (!BOUNDARY.test(boundary)) return wrong(`${JSON.stringify(boundary)} cannot be a boundary of parts`);
  const [, ...pieces] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`);
  const last = pieces.findIndex((piece) => piece.startsWith('--'));
  if (pieces.length === 0 && !isOpen)
    return wrong(`no line of the body begins with its boundary --${boundary}`);
  if (last < 0 && !isOpen) return wrong(`the body does not end with its last delimiter --${boundary}--`);
  const parts: Part[] = [];
  for (const [index, piece] of pieces.slice(0, last).entries()) {
    const text = piece.replace(/^[ \t]+/, '');
    const end = text.indexOf('\r\n\r\n'); // at 0 without headers; a part may have no body
    const fields = text.startsWith('\r\n')
      ? readFields(end < 0 ? text : text.slice(0, end))
      : 'its delimiter is followed by something';
    if (typeof fields === 'string') return wrong(`part ${index + 1} of the body: ${fields}`);
    const content = end < 0 ? '' : text.slice(end + 4);
    parts.push({ headers: fields, bytes: decode(content, fields['content-transfer-encoding']) });
  }
  return { parts, fault: undefined };
};
