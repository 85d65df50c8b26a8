import type { SequenceKind } from '@trellis/openapi/http';
import { pointerTo } from '@trellis/openapi/json';
import type { Side } from '../../document/contract.ts';
import type { Content } from '../../document/operations.ts';
import type { Complaint } from '../../oracle/oracle.ts';
import type { Breach } from '../../requests/draft.ts';
import { type Json, readJson } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';
import { type Item, readSequence } from '../sequences.ts';

/** The breach that complaints tell of: the first few different ones in one line. */
export const breachOf = (complaints: readonly Complaint[], of: string, at: string): Breach | undefined => {
  const told = complaints.map(({ message }) => `${of}${message.startsWith('/') ? '' : ' '}${message}`);
  return complaints[0] && { what: [...new Set(told)].slice(0, 5).join('; '), at: complaints[0].at ?? at };
};

/** An item of a body, before it is known which schema is its own. */
export interface UnreadItem {
  /** What messages call it. */
  readonly name: string;
  /** What it may mean by its schema; a text says why it means nothing. */
  readonly readBy: (schema: Schema) => readonly Json[] | string;
}

/** Judges items, each by its own schema, and their list if all of it is there. */
export const judgeList = (
  { accepts, complaintsOf, itemOf }: Side,
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

/** Whether a schema allows values of this type alone. */
export const isOnly = ({ typesOf }: Side, schema: Schema, type: string): boolean =>
  typesOf(schema).size === 1 && typesOf(schema).has(type);

/** What an item may mean. The data of an event is a text, which contracts describe as the JSON that it holds, too. */
const meaningsOf = ({ namesOf }: Side, { text, event }: Item, schema: Schema): Json[] => {
  const read = readJson(text);
  const values = [...(read === undefined ? [] : [read]), ...(event ? [text] : [])];
  // A schema with a member `data` describes the whole event, and any other only its data.
  return event && namesOf(schema).has('data') ? values.map((data) => ({ ...event, data })) : values;
};

/** Judges a stream: how its items are separated, each of them, and their list if it has ended. */
export const judgeItems = (
  side: Side,
  kind: SequenceKind,
  content: Content,
  text: string,
  isOpen: boolean,
): Breach | undefined => {
  const { schema, at } = content;
  const { items, fault } = readSequence(kind, text, isOpen);
  if (fault !== undefined) return { what: fault, at };
  // The schema of a list describes all items, any other schema one of them.
  const isList = isOnly(side, schema, 'array');
  // A text in place of events only says that they are text.
  if (kind === 'events' && isOnly(side, isList ? side.itemOf(schema, 0) : schema, 'string')) return undefined;
  const unread = items.map((item, index) => ({
    name: `item ${index + 1} of the stream`,
    readBy: (own: Schema) => meaningsOf(side, item, own),
  }));
  return judgeList(side, content, unread, { isList, isOpen, whole: 'the stream' });
};
