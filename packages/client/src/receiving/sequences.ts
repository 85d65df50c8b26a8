/**
 * Reads the items of a sequence (OAS 3.2, section 4.14.2) as they arrive. A bundle has only the readers that it uses.
 */
import { readJson } from '../json.ts';
import type { Content } from '../operation.ts';
import { UnexpectedReply } from '../unexpected-reply.ts';

/** An event of an event stream. */
export interface ClientEvent<Data = string, Name = string | undefined> {
  readonly data: Data;
  /** The type of the event, if it has one. */
  readonly event: Name;
  /** The last id that the service has sent: what `Last-Event-ID` says when the client connects again. */
  readonly id: string | undefined;
  /** After how many milliseconds the service wants a client that lost its connection to try again. */
  readonly retry: number | undefined;
}

/** Most characters of an item, in case a service never sends a line break. */
const LONGEST = 2 ** 24;

/** Yields the text of a reply as it arrives. Leaving the loop cancels the request. */
async function* textOf({ body }: Response): AsyncGenerator<string, void> {
  const reader = body?.getReader();
  const decoder = new TextDecoder(); // takes the byte order mark away
  try {
    for (let read = await reader?.read(); read?.value; read = await reader?.read())
      yield decoder.decode(read.value, { stream: true });
    yield decoder.decode();
  } finally {
    await reader?.cancel().catch(() => undefined); // a stream that failed fails again
  }
}

/** The pieces between separators. A carriage return ends a line at once: its line feed may be in the next chunk. */
async function* split(response: Response, separator: RegExp | string): AsyncGenerator<string, void> {
  let pieces: string[] = [];
  let size = 0;
  let isAfterReturn = false;
  for await (const chunk of textOf(response)) {
    if (chunk === '') continue;
    const [first = '', ...others] = (isAfterReturn ? chunk.replace(/^\n/, '') : chunk).split(separator);
    isAfterReturn = chunk.endsWith('\r');
    pieces.push(first);
    size += first.length;
    for (const next of others) {
      yield pieces.join('');
      pieces = [next];
      size = next.length;
    }
    if (size > LONGEST) throw new RangeError(`an item of the reply has more than ${LONGEST} characters`);
  }
  if (size > 0) yield pieces.join('');
}

const parse = (response: Response, { int64s }: Content, text: string): unknown => {
  try {
    return readJson(text, int64s?.());
  } catch (cause) {
    throw new UnexpectedReply(`an item that is not JSON`, response, text, { cause });
  }
};

async function* readValues(response: Response, content: Content, separator: RegExp | string) {
  for await (const text of split(response, separator))
    if (/\S/.test(text)) yield parse(response, content, text);
}

const LINE_END = /\r\n|\r|\n/;

/**
 * Reads JSON lines as they arrive.
 *
 * @example
 * for await (const line of readLines(response, { as: 'lines' })) console.log(line);
 */
export const readLines = (response: Response, content: Content): AsyncGenerator<unknown, void> =>
  readValues(response, content, LINE_END);

/**
 * Reads a JSON text sequence (RFC 7464) as it arrives.
 *
 * @example
 * for await (const record of readRecords(response, { as: 'records' })) console.log(record);
 */
export const readRecords = (response: Response, content: Content): AsyncGenerator<unknown, void> =>
  readValues(response, content, '\u001e');

/** Parses the data of an event as the contract declares it: as JSON, as text, or as JSON with text as a fallback. */
const dataOf = (response: Response, content: Content, text: string): unknown => {
  if (content.data === 'text') return text;
  try {
    return parse(response, content, text);
  } catch (error) {
    if (content.data === 'either') return text;
    throw error;
  }
};

/**
 * Reads an event stream (HTML, section 9.2.6) as it arrives. An unfinished event at the end is dropped.
 *
 * @example
 * for await (const { event, data } of readEvents(response, { as: 'text', data: 'text' })) console.log(event, data);
 */
export async function* readEvents(
  response: Response,
  content: Content,
): AsyncGenerator<ClientEvent<unknown>, void> {
  let [id, retry]: [id?: string, retry?: number] = [];
  let event: string | undefined;
  let data: string[] = [];
  let size = 0;
  for await (const line of split(response, LINE_END)) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    if (name === 'id' && !value.includes('\0')) id = value;
    if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value);
    if (name === 'data') {
      data.push(value);
      size += value.length + 1;
      if (size > LONGEST) throw new RangeError(`an event has more than ${LONGEST} characters`);
    }
    if (line !== '') continue;
    const text = data.join('\n');
    // OpenAI and compatible services send `[DONE]`, which is not JSON, as the last event.
    if (content.data === undefined && text === '[DONE]') return;
    if (data.length > 0)
      yield { data: dataOf(response, content, text), event: event || undefined, id, retry };
    [data, size, event] = [[], 0, undefined];
  }
}
