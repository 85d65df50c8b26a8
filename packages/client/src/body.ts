import { bodyKindOf, textOf, writeForm } from '@trellis/openapi/internal/http';
import { isTree, toJson } from '@trellis/openapi/internal/json';
import { contentOf, JSON_TYPE, kindOf } from './media-types.ts';
import type { Content } from './operation.ts';

/** A body as `fetch` takes it. FormData brings its own Content-Type, with the boundary. */
interface WrittenBody {
  readonly body: string | Uint8Array<ArrayBuffer> | Blob | FormData | ReadableStream;
  readonly contentType: string | undefined;
}

/** The members that are there, with their names. */
const fieldsOf = (value: unknown): [name: string, value: unknown][] =>
  Object.entries(value ?? {}).filter(([, member]) => member !== undefined);

/** Bytes are files, objects are JSON (OAS 3.1, section 4.8.14), and a list is a part for each item. */
const writeMultipart = (value: unknown): FormData => {
  const form = new FormData();
  for (const [name, member] of fieldsOf(value))
    for (const part of Array.isArray(member) ? member : [member]) {
      if (part instanceof Blob) form.append(name, part);
      else if (part instanceof Uint8Array) form.append(name, new Blob([new Uint8Array(part)]));
      else if (isTree(part)) form.append(name, new Blob([toJson(part)], { type: JSON_TYPE }));
      else form.append(name, textOf(part));
    }
  return form;
};

const typeOf = (item: unknown): string => {
  if (item instanceof Blob || item instanceof Uint8Array) return 'application/octet-stream';
  return typeof item === 'string' ? 'text/plain; charset=utf-8' : JSON_TYPE;
};

/** Bytes and texts as they are, other values as JSON. */
const writeItem = (item: unknown, type: string): string | Blob | Uint8Array<ArrayBuffer> => {
  if (item instanceof Blob) return item;
  if (item instanceof Uint8Array) return new Uint8Array(item);
  return typeof item === 'string' && bodyKindOf(type) !== 'json' ? item : toJson(item);
};

/** A part for each item (RFC 2046, section 5.1). */
const writeParts = (items: readonly unknown[], { types = [] }: Content, mediaType: string): WrittenBody => {
  const boundary = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const parts = items.flatMap((item, nth) => {
    const declared = types[Math.min(nth, types.length - 1)];
    const type = (item instanceof Blob && item.type) || declared || typeOf(item);
    return [`--${boundary}\r\nContent-Type: ${type}\r\n\r\n`, writeItem(item, type), '\r\n'];
  });
  return {
    body: new Blob([...parts, `--${boundary}--\r\n`]),
    contentType: `${mediaType}; boundary=${boundary}`,
  };
};

/** Converts an async iterable of texts or bytes to a stream that `fetch` accepts, in browsers too. */
const toReadable = (source: AsyncIterable<unknown>): ReadableStream => {
  const iterator = source[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value instanceof Uint8Array ? value : encoder.encode(textOf(value)));
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
};

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isTree(value) && Symbol.asyncIterator in value;

/** Writes a body that needs no encoding beyond text. */
const writePlain = (value: unknown): WrittenBody['body'] => {
  if (value instanceof Blob || value instanceof ReadableStream) return value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  return isIterable(value) ? toReadable(value) : textOf(value);
};

/** The media type of a body that names none: JSON where it is declared, else the only one. */
const usualOf = (declared: readonly string[]): string => {
  if (declared.includes(JSON_TYPE)) return JSON_TYPE;
  const [only = '', ...others] = declared;
  if (others.length > 0 || only.includes('*'))
    throw new TypeError(`set the mediaType of the body: ${declared.join(' or ')}`);
  return only;
};

/** Writes a body in a declared media type. */
export const writeBody = (
  bodies: Readonly<Record<string, Content>>,
  value: unknown,
  mediaType = usualOf(Object.keys(bodies)),
): WrittenBody => {
  const content = contentOf(bodies, mediaType)?.content;
  if (!content) throw new TypeError(`${mediaType} is not declared; send ${Object.keys(bodies).join(' or ')}`);
  const kind = kindOf(content, mediaType);
  if (kind === 'multipart') return { body: writeMultipart(value), contentType: undefined };
  if (kind === 'lines' || kind === 'records') {
    const start = kind === 'records' ? '\x1e' : ''; // RFC 7464
    const items = Array.isArray(value) ? value : [value];
    return { body: items.map((item) => `${start}${toJson(item)}\n`).join(''), contentType: mediaType };
  }
  if (kind === 'parts') return writeParts([value].flat(), content, mediaType);
  if (kind === 'json') return { body: toJson(value), contentType: mediaType };
  if (kind === 'form') {
    const pairs = writeForm(value, content.fields).map((pair) => pair.join('='));
    return { body: pairs.join('&'), contentType: mediaType };
  }
  return { body: writePlain(value), contentType: mediaType };
};
