import type { AcceptsAt } from '../schema/branches.ts';
import { typesOf } from '../schema/shape.ts';
import { readTexts, type Sent, type Style } from './styles.ts';
import { createTyping, firstAccepted, type Read } from './values.ts';

const SHAPES = ['array', 'object'] as const;

/** The shapes that the schema at a pointer allows, lists first: a single text is a list of one. */
export const shapesOf = (document: unknown, schemaAt: string): Style['shape'][] => {
  const types = typesOf(document, schemaAt);
  const shapes = SHAPES.filter((shape) => types.has(shape));
  return types.size > 0 && types.size === shapes.length ? shapes : [...shapes, 'scalar'];
};

/** Compiles how a value is read from what was sent, by its style and by the schema at a pointer. */
export const createReader = (document: unknown, acceptsAt: AcceptsAt) => {
  const typing = createTyping(document, acceptsAt);
  return (written: Omit<Style, 'shape'>, schemaAt: string, decode: (text: string) => string): Read<Sent> => {
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
};
