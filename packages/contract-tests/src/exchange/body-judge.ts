import { TextDecoder } from 'node:util';
import { type MediaKind, mediaKindOf } from '@trellis/openapi/document';
import { pointerTo } from '@trellis/openapi/json';
import type { Side } from '../document/contract.ts';
import type { Content } from '../document/operations.ts';
import type { Answer } from '../requests/draft.ts';
import { createReadings } from '../requests/readings.ts';
import { type Json, parseJson, TooDeep } from '../values/json.ts';
import { type Breach, list, single } from './breach.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** A decoder of a charset; `undefined` for one that this machine does not know. */
const decoderOf = (charset: string, fatal: boolean): TextDecoder | undefined => {
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: true });
  } catch {
    return undefined;
  }
};

/** The text of a body; an error says which charset its bytes break. JSON is UTF-8 unless it says otherwise (RFC 8259, section 8.1). */
const readText = (type: string, kind: MediaKind, body: Buffer): string => {
  const [, charset] = CHARSET.exec(type) ?? [];
  const isDefinite = charset !== undefined || kind === 'json';
  const decoder = decoderOf(charset ?? 'utf-8', isDefinite);
  if (!decoder) return body.toString('utf8');
  try {
    return decoder.decode(body);
  } catch {
    throw new Error(`the body is not valid ${charset ?? 'utf-8'}`);
  }
};

/** Makes a function that judges the body of an answer by what is declared for its media type. */
export const createBodyJudge = (side: Side) => {
  const { complaintsOf } = side;
  const { shapeOf, readAsText } = createReadings(side);
  return (content: Content, answer: Answer): Breach | undefined => {
    const { schema, at } = content;
    const judge = (value: unknown): Breach | undefined => {
      const complaints = complaintsOf(schema, value);
      return (
        complaints[0] && {
          what: list(complaints, 'the body'),
          at: complaints[0].place ?? at + pointerTo('schema'),
        }
      );
    };
    const type = single(answer.headers['content-type']) ?? '';
    const kind = mediaKindOf(type);
    if (kind !== 'json' && kind !== 'text') return undefined;
    let text: string;
    try {
      text = readText(type, kind, answer.body);
    } catch (error) {
      return { what: error instanceof Error ? error.message : String(error), at };
    }
    // The standard does not say how a list or an object is written as text.
    if (kind === 'text') return shapeOf(schema) === 'scalar' ? judge(readAsText(schema, text)) : undefined;
    let value: Json;
    try {
      value = parseJson(text);
    } catch (error) {
      return { what: `the body ${error instanceof TooDeep ? error.message : 'is not JSON'}`, at };
    }
    return judge(value);
  };
};
