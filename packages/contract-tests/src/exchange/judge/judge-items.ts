import type { SequenceKind } from '@trellis/openapi/internal/http';
import { pointerTo } from '@trellis/openapi/internal/json';
import type { Schemas } from '../../document/contract.ts';
import type { Content, Field } from '../../document/operations.ts';
import { isEntityTag } from '../../http/conditions.ts';
import { type Breach, type Reply, single } from '../../requests/call.ts';
import type { Complaint } from '../../schemas/oracle.ts';
import { type Json, readJson } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';
import { type Item, readSequence } from '../framing.ts';

/** Joins the first five distinct complaints into one breach. */
export const breachOf = (complaints: readonly Complaint[], of: string, at: string): Breach | undefined => {
  const told = complaints.map(({ message }) => `${of}${message.startsWith('/') ? '' : ' '}${message}`);
  return complaints[0] && { what: [...new Set(told)].slice(0, 5).join('; '), at: complaints[0].at ?? at };
};

/** An item of a body whose schema depends on its index. */
interface UnreadItem {
  readonly name: string;
  /** The possible values of the item under a schema, or a message if it cannot be read. */
  readonly readBy: (schema: Schema) => readonly Json[] | string;
}

/** Judges items one by one, and then their list if the stream has ended. */
export const judgeList = (
  { accepts, complaintsOf, itemOf }: Schemas,
  { schema, at }: Content,
  items: readonly UnreadItem[],
  { isList, isOpen, whole }: { readonly isList: boolean; readonly isOpen: boolean; readonly whole: string },
): Breach | undefined => {
  const schemaAt = at + pointerTo('schema');
  const values: Json[] = [];
  for (const [index, { name, readBy }] of items.entries()) {
    const own = isList ? itemOf(schema, index) : schema;
    const meanings = readBy(own);
    if (typeof meanings === 'string') return { what: `${name} ${meanings}`, at };
    const [value] = [...meanings.filter((each) => accepts(own, each)), ...meanings];
    if (value === undefined) return { what: `${name} is not JSON`, at };
    const breach = breachOf(complaintsOf(own, value), name, schemaAt);
    if (breach) return breach;
    values.push(value);
  }
  return isList && !isOpen ? breachOf(complaintsOf(schema, values), whole, schemaAt) : undefined;
};

/** Whether a schema allows only values of one type. */
export const isOnly = ({ typesOf }: Schemas, schema: Schema, type: string): boolean =>
  typesOf(schema).size === 1 && typesOf(schema).has(type);

/** The possible values of an item. Contracts describe the data of an event as text or as the JSON inside it. */
const meaningsOf = ({ namesOf }: Schemas, { text, event }: Item, schema: Schema): Json[] => {
  const read = readJson(text);
  const values = [...(read === undefined ? [] : [read]), ...(event ? [text] : [])];
  // A schema with a member `data` describes the whole event; other schemas describe only its data.
  return event && namesOf(schema).has('data') ? values.map((data) => ({ ...event, data })) : values;
};

/** Judges a stream: its separators, each item, and the list if it has ended. */
export const judgeItems = (
  schemas: Schemas,
  kind: SequenceKind,
  content: Content,
  text: string,
  isOpen: boolean,
): Breach | undefined => {
  const { schema, at } = content;
  const { items, fault } = readSequence(kind, text, isOpen);
  if (fault !== undefined) return { what: fault, at };
  // An array schema describes the list; any other schema describes one item.
  const isList = isOnly(schemas, schema, 'array');
  // A string schema for events only declares that the body is text.
  if (kind === 'events' && isOnly(schemas, isList ? schemas.itemOf(schema, 0) : schema, 'string'))
    return undefined;
  const unread = items.map((item, index) => ({
    name: `item ${index + 1} of the stream`,
    readBy: (own: Schema) => meaningsOf(schemas, item, own),
  }));
  return judgeList(schemas, content, unread, { isList, isOpen, whole: 'the stream' });
};

/** Reads a header in the simple style (OAS 3.1, section 4.8.12.2). */
const readHeader = ({ accepts, shapeOf }: Schemas, header: Field, text: string): Json => {
  const shape = shapeOf(header.schema);
  if (shape === 'scalar') return text;
  // The style cannot express an empty value, but services send it.
  const nothing = shape === 'array' ? [] : {};
  if (text === '' && accepts(header.schema, nothing)) return nothing;
  const parts = text.split(',').map((part) => part.trim());
  if (shape === 'array') return parts;
  const pairs = header.explode
    ? parts.map((part) => [part.split('=', 1).join(), part.replace(/^[^=]*=?/, '')])
    : parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
};

/** Judges a declared header of a reply, or of a part of it. */
export const judgeHeader = (
  schemas: Schemas,
  header: Field,
  reply: Pick<Reply, 'headers'>,
): Breach | undefined => {
  const { name, isRequired, schema, isJson, at } = header;
  const sent = single(reply.headers[name.toLowerCase()]);
  if (sent === undefined)
    return isRequired ? { what: `the header ${name} is missing`, at: at + pointerTo('required') } : undefined;
  const judge = (value: Json): Breach | undefined =>
    breachOf(schemas.complaintsOf(schema, value), `the header ${name}`, at);
  if (/^etag$/i.test(name) && !isEntityTag(sent))
    return { what: `the header ETag is no entity tag (RFC 9110, section 8.8.3): ${sent}`, at };
  if (!isJson) return judge(schemas.readAsText(schema, readHeader(schemas, header, sent)));
  const read = readJson(sent);
  return read === undefined ? { what: `the header ${name} is not JSON`, at } : judge(read);
};
