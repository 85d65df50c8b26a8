import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import { writeHeaders } from '../reply/headers.ts';
import { type createChoice, examplesAt } from './choice.ts';

/**
 * Headers that only the server can say: they are about the connection, the length or the encoding of what is sent. OpenAPI
 * ignores a declared Content-Type (OAS 3.1, section 4.8.17.1).
 */
const NOT_SENT =
  /^(?:content-(?:type|length|encoding|range)|transfer-encoding|connection|proxy-connection|keep-alive|upgrade|te|trailer|date|access-control-.*|x-stub|x-stub-note)$/i;

/** RFC 9110, section 5.5: what a field value may hold. */
const UNSAFE = /[^\t\x20-\x7e\xa0-\xff]/g;

/** The longest note. */
const LONGEST = 300;

/** A text that any header can hold. */
export const toHeaderText = (text: string): string => {
  const safe = text.replaceAll(/\s+/g, ' ').replaceAll(/[^\x20-\x7e]/g, '?');
  return safe.length > LONGEST ? `${safe.slice(0, LONGEST)}...` : safe;
};

/** Where the schema of a header stands: its own, or that of its `content`. */
const schemaOf = (document: unknown, at: string): { holder: string; schemaAt: string | undefined } => {
  const [mediaType] = Object.keys(ownMember(valueAt(document, at), 'content') ?? {});
  const holder = mediaType === undefined ? at : at + pointerTo('content', mediaType);
  const schemaAt = holder + pointerTo('schema');
  return { holder, schemaAt: valueAt(document, schemaAt) === undefined ? undefined : schemaAt };
};

/** Makes the declared headers of a response, each as text, and a note for each one that is not as the contract shows it. */
export const createExampleHeaders = (document: unknown, choose: ReturnType<typeof createChoice>) => {
  const textOf = (header: unknown, name: string, value: unknown): string =>
    String(writeHeaders({ [name]: value }, new Map([[name.toLowerCase(), header]]))[name] ?? '');

  return (responseAt: string): { headers: Record<string, string>; notes: string[] } => {
    const headers: Record<string, string> = {};
    const notes: string[] = [];
    for (const name of Object.keys(ownMember(valueAt(document, responseAt), 'headers') ?? {})) {
      if (NOT_SENT.test(name)) continue;
      const at = followRefs(document, responseAt + pointerTo('headers', name));
      const header = valueAt(document, at);
      const { holder, schemaAt } = schemaOf(document, at);
      const write = (value: unknown): string => textOf(header, name, value);
      const given = [...examplesAt(document, at), ...(holder === at ? [] : examplesAt(document, holder))];
      const usable = given.filter((value) => value !== null && write(value).search(UNSAFE) < 0);
      const { value = 'text', note } = choose(usable, schemaAt, true);
      const text = value === null ? '' : write(value).replaceAll(UNSAFE, '?');
      if (note !== undefined) notes.push(`header ${name}: ${note.replaceAll('body', 'it')}`);
      if (text !== '' || ownMember(header, 'required') === true) headers[name] = text;
    }
    return { headers, notes };
  };
};
