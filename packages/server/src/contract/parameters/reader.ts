import { typesOf } from '@trellis/openapi/schema';
import type { AcceptsAt } from '../validation/branches.ts';
import { type BracketRules, readBrackets } from './brackets.ts';
import { readTexts, type Sent, type Style } from './styles.ts';
import { createTyping, firstAccepted, type Read } from './values.ts';

const SHAPES = ['array', 'object'] as const;

/** The shapes that the schema at a pointer allows, lists first: a single text is a list of one. */
export const shapesOf = (document: unknown, schemaAt: string): Style['shape'][] => {
  const types = typesOf(document, schemaAt);
  const shapes = SHAPES.filter((shape) => types.has(shape));
  return types.size > 0 && types.size === shapes.length ? shapes : [...shapes, 'scalar'];
};

/** How a value is written, whatever its shape. */
export interface Written extends Omit<Style, 'shape'>, Pick<BracketRules, 'place' | 'declared'> {}

/** Whether a value may be sent under names with brackets: what is repeated or has members otherwise. */
export const takesBrackets = (
  document: unknown,
  { style, explode }: Pick<Written, 'style' | 'explode'>,
  schemaAt: string,
): boolean =>
  style === 'deepObject' ||
  (style === 'form' && explode && shapesOf(document, schemaAt).some((shape) => shape !== 'scalar'));

/** Compiles how a value is read from what was sent, by its style and by the schema at a pointer. */
export const createReader = (document: unknown, acceptsAt: AcceptsAt) => {
  const typing = createTyping(document, acceptsAt);

  const flatReader = (written: Written, schemaAt: string, decode: (text: string) => string): Read<Sent> => {
    const toTyped = typing(schemaAt);
    const ways = shapesOf(document, schemaAt).map((shape): Read<Sent> => {
      const style = { ...written, shape };
      return (sent) => {
        const texts = readTexts(style, sent, decode);
        return texts === undefined ? undefined : toTyped(texts);
      };
    });
    return firstAccepted(ways, acceptsAt(schemaAt));
  };

  /** `isBracketed` says whether names with brackets are looked for. */
  return (
    written: Written,
    schemaAt: string,
    decode: (text: string) => string,
    isBracketed = false,
  ): Read<Sent> => {
    const read = flatReader(written, schemaAt, decode);
    if (!isBracketed) return read;
    const toTyped = typing(schemaAt);
    const isList = shapesOf(document, schemaAt).join() === 'array';
    return (sent) => {
      const texts = readBrackets({ ...written, isList }, sent, decode);
      return texts === undefined ? read(sent) : toTyped(texts);
    };
  };
};
