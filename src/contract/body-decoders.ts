import { findUnstorableText, type Json, parseJson, toText } from './json.ts';
import type { Kind } from './media-types.ts';
import { createMultipartDecoder, type Multipart } from './multipart.ts';
import { readTexts, type Sent, splitPair } from './parameter-styles.ts';
import { createTyping, type Typed } from './parameter-values.ts';
import { collect, shapeOf } from './parameters.ts';
import { Problem } from './problem.ts';
import { memberAt, membersOf } from './schema-shape.ts';

/** A body that was decoded. */
export interface DecodedBody extends Json {
  /** Whether its media type makes it bytes and nothing else: there is nothing that a schema can be asked about. */
  readonly isBytes?: boolean;
  readonly restoreFiles?: Multipart['restoreFiles'];
}

/** Makes of the bytes of a body what its schema can be asked about. */
export type DecodeBytes = (bytes: Buffer, contentType: string) => DecodedBody | Promise<DecodedBody>;

const ofText = ({ value, exact }: Typed): Json => ({ value, exact, unstorable: findUnstorableText(value) });

const decodeForm = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Problem('malformedJson', 'body is not a valid form');
  }
};

/** A form has texts only; the schema says what they are. A member that is named twice is an array. */
const createFormTyping = (document: unknown, schemaAt: string) => {
  const typing = createTyping(document);
  const fields = new Map(
    membersOf(document, schemaAt).flatMap((name) => {
      const at = memberAt(document, schemaAt, 'properties', name);
      const style = { name, style: 'form', explode: true, members: [] };
      return at === undefined
        ? []
        : [[name, { toTyped: typing(at), style: { ...style, shape: shapeOf(document, at) } }]];
    }),
  );
  return (sent: Sent, decode: (text: string) => string): [name: string, typed: Typed][] =>
    [...sent].map(([name, raws]) => {
      const field = fields.get(name);
      const texts = field && readTexts(field.style, sent, decode);
      const typed =
        field && texts !== undefined
          ? field.toTyped(texts)
          : { value: decode(raws[0] ?? ''), exact: undefined };
      return [name, typed];
    });
};

/** A name is the client's to choose: `__proto__` must be a member like any other. */
const toObject = (members: readonly (readonly [name: string, typed: Typed])[]): Typed => ({
  value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
  exact: Object.fromEntries(members.map(([name, { exact }]) => [name, exact])),
});

/** Compiles how a body of a kind is decoded by the schema at a pointer. */
export const createBodyDecoder = (document: unknown, kind: Kind, schemaAt: string): DecodeBytes => {
  switch (kind) {
    case 'json':
      return (bytes) => parseJson(bytes);
    case 'text':
      return (bytes) => ofText({ value: toText(bytes), exact: undefined });
    case 'binary':
      return (bytes) => ({ value: bytes, exact: undefined, unstorable: [], isBytes: true });
    case 'form': {
      const toTyped = createFormTyping(document, schemaAt);
      return (bytes) => {
        const pairs = toText(bytes).split('&').filter(Boolean).map(splitPair);
        const sent = collect(pairs.map(([name, value]) => [decodeForm(name), value]));
        return ofText(toObject(toTyped(sent, decodeForm)));
      };
    }
    case 'multipart':
      return createMultipartDecoder(document, schemaAt);
  }
};
