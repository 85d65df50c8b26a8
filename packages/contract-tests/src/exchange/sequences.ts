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
