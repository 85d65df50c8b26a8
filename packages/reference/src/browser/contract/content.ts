import { type BodyKind, essenceOf, mediaKindOf } from '@trellis/openapi/internal/http';
import {
  followRefs,
  ownMember,
  pointerTo,
  toJson,
  tryParseExact,
  valueAt,
} from '@trellis/openapi/internal/json';
import type { Direction } from '@trellis/openapi/internal/schema';
import { createValues } from '@trellis/openapi/internal/values';
import { textAt } from './outline.ts';

/** An example as text, ready to be sent or shown. */
export interface Example {
  readonly name: string;
  readonly text: string;
}

/** The schema and the examples of a body in one media type. */
export interface Content {
  readonly mediaType: string;
  readonly kind: BodyKind;
  /** The pointer of its schema. */
  readonly schemaAt: string | undefined;
  readonly examples: readonly Example[];
}

/** How the page shows and sends a body: a range is JSON, and what people write is a text. */
export const kindOf = (mediaType: string): BodyKind => {
  const kind = mediaKindOf(mediaType);
  if (kind !== 'binary') return kind === 'xml' ? 'text' : kind;
  const essence = essenceOf(mediaType);
  if (essence === '*/*' || essence === 'application/*') return 'json';
  if (essence.startsWith('multipart/')) return 'multipart';
  return /[/+](?:yaml|javascript|graphql|x-ndjson)$/.test(essence) ? 'text' : 'binary';
};

/** Whether a media type is an image type that every browser shows. */
export const isPicture = (mediaType: string): boolean =>
  /^image\/(?:png|jpeg|gif|webp|avif)$/.test(essenceOf(mediaType));

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Breaks JSON into lines and indents it. It moves tokens and never parses a number, so every digit is kept. Text that
 * is not JSON is returned unchanged.
 */
export const layoutJson = (text: string): string => {
  if (tryParseExact(text) === undefined) return text;
  let depth = 0;
  let before = '';
  const lines: string[] = [];
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const isOpen = before === '{' || before === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      lines.push(isOpen ? token : newLine() + token);
    } else if (token === ',' || token === ':') lines.push(token === ':' ? ': ' : ',');
    else {
      lines.push(isOpen || before === ',' ? newLine() + token : token);
      if (token === '{' || token === '[') depth += 1;
    }
    before = token;
  }
  return lines.join('');
};

/** A value as the text of a body. */
const write = (value: unknown, kind: BodyKind): string =>
  typeof value === 'string' && kind !== 'json' ? value : layoutJson(toJson(value));

/** The values that the document states at a pointer, each with its name. */
const statedAt = (document: unknown, at: string): { name: string; value: unknown }[] => {
  const examples = valueAt(document, at + pointerTo('examples'));
  const several = Object.keys(examples ?? {}).flatMap((key) => {
    const example = valueAt(document, followRefs(document, at + pointerTo('examples', key)));
    const value = ownMember(example, 'value');
    return value === undefined ? [] : [{ name: textAt(example, 'summary') || key, value }];
  });
  const single = ownMember(valueAt(document, at), 'example');
  return single === undefined ? several : [{ name: 'Example', value: single }, ...several];
};

/** The value that the document states for a parameter, or one made by its schema. */
export const exampleAt = (document: unknown, at: string, schemaAt: string | undefined): unknown => {
  const [stated] = statedAt(document, at);
  if (stated) return stated.value;
  return schemaAt === undefined ? undefined : createValues(document)(schemaAt, { direction: 'request' });
};

/** The contents at a pointer, by media type. Examples that the document lacks are made by the schema. */
export const contentsAt = (document: unknown, at: string, direction: Direction): Content[] =>
  Object.keys(ownMember(valueAt(document, at), 'content') ?? {}).map((mediaType) => {
    const here = at + pointerTo('content', mediaType);
    const kind = kindOf(mediaType);
    const schemaAt =
      valueAt(document, here + pointerTo('schema')) === undefined ? undefined : here + pointerTo('schema');
    const stated = statedAt(document, here);
    const made = () => {
      if (schemaAt === undefined || kind === 'binary') return [];
      const value = createValues(document)(schemaAt, { direction, isPartial: true });
      return value === undefined ? [] : [{ name: 'Example', value }];
    };
    const examples = stated.length > 0 ? stated : made();
    return {
      mediaType,
      kind,
      schemaAt,
      examples: examples.map(({ name, value }) => ({ name, text: write(value, kind) })),
    };
  });
