import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/json';
import { examplesAt } from '@trellis/openapi/values';
import { parameterSchemaAt } from '../parameters/parameters.ts';
import { headerText } from './headers.ts';

/** A value to send, and why it is not the example that the contract gives. */
export interface Chosen {
  readonly value: unknown;
  readonly note: string | undefined;
}

/** Chooses one of the given examples, or a value of the schema at a pointer. */
export type Choose = (given: readonly unknown[], schemaAt: string | undefined, isJson: boolean) => Chosen;

/**
 * Headers that only the server can say: they are about the connection, the request, the length or the encoding of what is
 * sent. OpenAPI ignores a declared Content-Type (OAS 3.1, section 4.8.17.1).
 */
const NOT_SENT =
  /^(?:content-(?:type|length|encoding|range)|transfer-encoding|connection|proxy-connection|keep-alive|upgrade|te|trailer|date|access-control-.*|x-request-id|x-stub|x-stub-note)$/i;

/** RFC 9110, section 5.5: what a field value may hold. */
const UNSAFE = /[^\t\x20-\x7e\xa0-\xff]/g;

/** RFC 9110, section 8.8.3: an entity tag stands in quotes, whatever the schema says. */
const quoteTag = (text: string): string =>
  /^(?:W\/)?"[^"\s]*"$/.test(text) ? text : `"${text.replaceAll(/["\s]/g, '')}"`;

/** Makes the declared headers of a response, each as text, and a note for each one that is not as the contract shows it. */
export const createDeclaredHeaders = (document: unknown, choose: Choose, onlyRequired = false) => {
  return (responseAt: string): { headers: Record<string, string>; notes: string[] } => {
    const headers: Record<string, string> = {};
    const notes: string[] = [];
    for (const name of Object.keys(ownMember(valueAt(document, responseAt), 'headers') ?? {})) {
      const at = followRefs(document, responseAt + pointerTo('headers', name));
      const header = valueAt(document, at);
      const isRequired = ownMember(header, 'required') === true;
      if (NOT_SENT.test(name) || (onlyRequired && !isRequired)) continue;
      const schemaAt = parameterSchemaAt(document, at);
      const holders = new Set([at, schemaAt.replace(/\/schema$/, '')]); // a header may be declared by `content`
      const write = (value: unknown): string => headerText(name.toLowerCase(), header, value);
      const given = [...holders].flatMap((holder) => examplesAt(document, holder));
      const usable = given.filter((value) => value !== null && write(value).search(UNSAFE) < 0);
      const { value = 'text', note } = choose(
        usable,
        valueAt(document, schemaAt) === undefined ? undefined : schemaAt,
        true,
      );
      const plain = value === null ? '' : write(value).replaceAll(UNSAFE, '?');
      const text = /^etag$/i.test(name) ? quoteTag(plain) : plain;
      if (note !== undefined) notes.push(`header ${name}: ${note.replaceAll('body', 'it')}`);
      if (text !== '' || isRequired) headers[name] = text;
    }
    return { headers, notes };
  };
};
