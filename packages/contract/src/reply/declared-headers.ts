import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import { examplesAt } from '@trellis/openapi/internal/values';
import { parameterSchemaAt } from '../parameters/parameters.ts';
import { headerText } from './headers.ts';

/** Chooses from the given examples, or makes a value for the schema at a pointer; `undefined` if none fits. */
export type Choose = (given: readonly unknown[], schemaAt: string | undefined, isJson?: boolean) => unknown;

/**
 * Headers that only the server can set: they depend on the connection, the request, or the length or encoding of the
 * content. OpenAPI ignores a declared Content-Type (OAS 3.1, section 4.8.17.1).
 */
const NOT_SENT =
  /^(?:content-(?:type|length|encoding|range)|transfer-encoding|connection|proxy-connection|keep-alive|upgrade|te|trailer|date|access-control-.*|x-request-id|x-stub)$/i;

/** Characters that a field value cannot hold (RFC 9110, section 5.5). */
const UNSAFE = /[^\t\x20-\x7e\xa0-\xff]/g;

/** RFC 9110, section 8.8.3: an entity tag is quoted, whatever its schema. */
const quoteTag = (text: string): string =>
  /^(?:W\/)?"[^"\s]*"$/.test(text) ? text : `"${text.replaceAll(/["\s]/g, '')}"`;

/** Makes the declared headers of a response, each as text. */
export const createDeclaredHeaders =
  (document: unknown, choose: Choose, onlyRequired = false) =>
  (responseAt: string): Record<string, string> => {
    const headers: Record<string, string> = {};
    for (const name of Object.keys(ownMember(valueAt(document, responseAt), 'headers') ?? {})) {
      const at = followRefs(document, responseAt + pointerTo('headers', name));
      const header = valueAt(document, at);
      const isRequired = ownMember(header, 'required') === true;
      if (NOT_SENT.test(name) || (onlyRequired && !isRequired)) continue;
      const schemaAt = parameterSchemaAt(document, at);
      const holders = new Set([at, schemaAt.replace(/\/schema$/, '')]); // a header may be declared by `content`
      const given = [...holders].flatMap((holder) => examplesAt(document, holder));
      const value = choose(given, valueAt(document, schemaAt) === undefined ? undefined : schemaAt) ?? 'text';
      const plain = headerText(name.toLowerCase(), header, value).replaceAll(UNSAFE, '?');
      const text = /^etag$/i.test(name) ? quoteTag(plain) : plain;
      if (text !== '' || isRequired) headers[name] = text;
    }
    return headers;
  };
