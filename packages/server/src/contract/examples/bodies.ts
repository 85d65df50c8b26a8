import { essenceOf, mediaKindOf } from '@trellis/openapi/http';
import { isTree, toJson } from '@trellis/openapi/json';
import { toXml } from '../codec/xml.ts';

/** A body for a reply, and its `Content-Type`. */
export interface Rendered {
  readonly contentType: string;
  readonly body: unknown;
}

/** The boundary of a multipart body. It is not part of any value that a stub makes. */
const BOUNDARY = 'stub-boundary-7d1f';

const textOf = (value: unknown): string => (isTree(value) ? toJson(value) : String(value ?? ''));

const entriesOf = (value: unknown): [name: string, text: string][] =>
  isTree(value)
    ? Object.entries(value).map(([name, member]) => [name, textOf(member)])
    : [['value', textOf(value)]];

const writeMultipart = (value: unknown): string =>
  entriesOf(value)
    .map(([name, text]) => {
      const safe = name.replaceAll(/["\r\n]/g, '_');
      return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${safe}"\r\n\r\n${text}\r\n`;
    })
    .concat(`--${BOUNDARY}--\r\n`)
    .join('');

/** Writes a value in a media type that is not JSON. A text is taken for what is to be sent. */
const writeAs = (value: unknown, essence: string, root: string): string => {
  if (essence.startsWith('multipart/')) return writeMultipart(value);
  if (typeof value === 'string') return value;
  if (mediaKindOf(essence) === 'xml') return toXml(value, root);
  if (mediaKindOf(essence) === 'form') return new URLSearchParams(entriesOf(value)).toString();
  return textOf(value);
};

/** Renders a value in a media type. `root` is the name of the outermost element where that is XML. */
export const render = (value: unknown, mediaType: string, root: string): Rendered => {
  if (mediaKindOf(mediaType) === 'json') return { contentType: mediaType, body: value };
  const essence = essenceOf(mediaType);
  const isMultipart = essence.startsWith('multipart/');
  return {
    contentType: isMultipart ? `${essence}; boundary=${BOUNDARY}` : mediaType,
    body: Buffer.from(writeAs(value, essence, root)),
  };
};
