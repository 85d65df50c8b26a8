import { pointerTo } from '@trellis/openapi/internal/json';
import type { Schemas } from '../../document/contract.ts';
import type { Field } from '../../document/operations.ts';
import { isEntityTag } from '../../http/conditions.ts';
import { type Breach, type Reply, single } from '../../requests/call.ts';
import { type Json, readJson } from '../../values/json.ts';
import { breachOf } from './judge-items.ts';

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
