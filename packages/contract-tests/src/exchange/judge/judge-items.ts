import type { SequenceKind } from '@trellis/openapi/http';
import { pointerTo } from '@trellis/openapi/json';
import type { Side } from '../../document/contract.ts';
import type { Content } from '../../document/operations.ts';
import type { Complaint } from '../../oracle/oracle.ts';
import type { Breach } from '../../requests/draft.ts';
import type { Readings } from '../../requests/readings.ts';
import { type Json, parseJson } from '../../values/json.ts';
import type { Schema } from '../../values/schema.ts';
import { type Item, readSequence } from '../sequences.ts';

/** The breach that complaints tell of: the first few different ones in one line. */
export const breachOf = (complaints: readonly Complaint[], of: string, at: string): Breach | undefined => {
  const told = complaints.map(({ message }) => `${of}${message.startsWith('/') ? '' : ' '}${message}`);
  return complaints[0] && { what: [...new Set(told)].slice(0, 5).join('; '), at: complaints[0].at ?? at };
};

/** `undefined` if a text is not JSON. */
export const readJson = (text: string): { value: Json } | undefined => {
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
};

/** Makes a function that judges a stream: how its items are separated, each of them, and their list if it has ended. */
export const createItemsJudge = ({ accepts, complaintsOf }: Side, { typesOf, namesOf, itemOf }: Readings) => {
  const isOnly = (schema: Schema, type: string): boolean =>
    typesOf(schema).size === 1 && typesOf(schema).has(type);

  /** What an item may mean. The data of an event is a text, which contracts describe as the JSON that it holds, too. */
  const meaningsOf = ({ text, event }: Item, schema: Schema): Json[] => {
    const read = readJson(text);
    const values = [...(read ? [read.value] : []), ...(event ? [text] : [])];
    // A schema with a member `data` describes the whole event, and any other only its data.
    return event && namesOf(schema).has('data') ? values.map((data) => ({ ...event, data })) : values;
  };

  return (kind: SequenceKind, { schema, at }: Content, text: string, isOpen: boolean): Breach | undefined => {
    const { items, fault } = readSequence(kind, text, isOpen);
    if (fault !== undefined) return { what: fault, at };
    // The schema of a list describes all items, any other schema one of them.
    const isList = isOnly(schema, 'array');
    // A text in place of events only says that they are text.
    if (kind === 'events' && isOnly(isList ? itemOf(schema, 0) : schema, 'string')) return undefined;
    const schemaAt = at + pointerTo('schema');
    const values: Json[] = [];
    for (const [index, item] of items.entries()) {
      const own = isList ? itemOf(schema, index) : schema;
      const name = `item ${index + 1} of the stream`;
      const meanings = meaningsOf(item, own);
      const [value] = [...meanings.filter((each) => accepts(own, each)), ...meanings];
      if (value === undefined) return { what: `${name} is not JSON`, at };
      const breach = breachOf(complaintsOf(own, value), name, schemaAt);
      if (breach) return breach;
      values.push(value);
    }
    return isList && !isOpen ? breachOf(complaintsOf(schema, values), 'the stream', schemaAt) : undefined;
  };
};
