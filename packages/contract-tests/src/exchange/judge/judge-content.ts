import { hasPositions, mediaKindOf, sequenceKindOf } from '@trellis/openapi/internal/http';
import { messageOf, pointerTo } from '@trellis/openapi/internal/json';
import type { Schemas } from '../../document/contract.ts';
import type { Content } from '../../document/operations.ts';
import { type Breach, type Reply, single } from '../../requests/call.ts';
import { type Json, parseJson, TooDeep } from '../../values/json.ts';
import { breachOf, judgeItems } from './judge-items.ts';
import { judgeParts } from './judge-parts.ts';
import { readText } from './read-text.ts';

/** Judges the body of a reply by the declaration of its media type. */
export const judgeBody = (schemas: Schemas, content: Content, reply: Reply): Breach | undefined => {
  const { complaintsOf, shapeOf, readAsText } = schemas;
  const { schema, at } = content;
  const judge = (value: unknown): Breach | undefined =>
    breachOf(complaintsOf(schema, value), 'the body', at + pointerTo('schema'));
  const type = single(reply.headers['content-type']) ?? '';
  const kind = mediaKindOf(type);
  const sequence = sequenceKindOf(type);
  if (hasPositions(type)) return judgeParts(schemas, content, type, reply);
  if (kind !== 'json' && kind !== 'text' && !sequence) return undefined;
  let text: string;
  try {
    text = readText(type, kind, reply);
  } catch (error) {
    return { what: `the body ${messageOf(error)}`, at };
  }
  if (sequence) return judgeItems(schemas, sequence, content, text, reply.stream?.isOpen ?? false);
  // OpenAPI does not define lists and objects in text bodies.
  if (kind === 'text') return shapeOf(schema) === 'scalar' ? judge(readAsText(schema, text)) : undefined;
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    return { what: `the body ${error instanceof TooDeep ? error.message : 'is not JSON'}`, at };
  }
  return judge(value);
};
