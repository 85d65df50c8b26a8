import { pointerTo } from '@trellis/openapi/json';
import type { Side } from '../document/contract.ts';
import type { Field } from '../document/operations.ts';
import type { Answer } from '../requests/draft.ts';
import { createReadings, type Readings } from '../requests/readings.ts';
import { type Json, parseJson } from '../values/json.ts';
import { type Breach, list, single } from './breach.ts';

/** Reads a header in the simple style (OAS 3.1, section 4.8.12.2). */
const createReadHeader =
  ({ accepts }: Side, { shapeOf }: Readings) =>
  (header: Field, text: string): Json => {
    const shape = shapeOf(header.schema);
    if (shape === 'scalar') return text;
    // The style cannot express an empty value, but services send one.
    const nothing = shape === 'array' ? [] : {};
    if (text === '' && accepts(header.schema, nothing)) return nothing;
    const parts = text.split(',').map((part) => part.trim());
    if (shape === 'array') return parts;
    const pairs = header.explode
      ? parts.map((part) => [part.split('=', 1).join(), part.replace(/^[^=]*=?/, '')])
      : parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : []));
    return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
  };

/** `undefined` if a text is not JSON. */
const readJson = (text: string): { value: Json } | undefined => {
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
};

/** Makes a function that judges the headers that a reply declares. */
export const createHeaderJudge = (side: Side) => {
  const readings = createReadings(side);
  const readHeader = createReadHeader(side, readings);
  return (header: Field, answer: Answer): Breach | undefined => {
    const { name, isRequired, schema, isJson, at } = header;
    const sent = single(answer.headers[name.toLowerCase()]);
    if (sent === undefined)
      return isRequired
        ? { what: `the header ${name} is missing`, at: at + pointerTo('required') }
        : undefined;
    const judge = (value: Json): Breach | undefined => {
      const complaints = side.complaintsOf(schema, value);
      return complaints[0] && { what: list(complaints, `the header ${name}`), at: complaints[0].place ?? at };
    };
    if (!isJson) return judge(readings.readAsText(schema, readHeader(header, sent)));
    const read = readJson(sent);
    return read ? judge(read.value) : { what: `the header ${name} is not JSON`, at };
  };
};
