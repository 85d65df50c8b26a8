import { once, ownMember, valueAt } from '@trellis/openapi/internal/json';
import { membersAt, placesOf, typesOf } from '@trellis/openapi/internal/schema';
import type { AcceptsAt } from '../validation/references.ts';
import { type BracketRules, readBrackets, splitName } from './brackets.ts';
import { readTexts, type Sent, type Style } from './styles.ts';
import { createTyping, firstAccepted, type Read } from './values.ts';

const SHAPES = ['array', 'object'] as const;

/** The shapes that the schema at a pointer allows, lists first: a single text is a list of one. */
const shapesOf = (document: unknown, schemaAt: string): Style['shape'][] => {
  const types = typesOf(document, schemaAt);
  const shapes = SHAPES.filter((shape) => types.has(shape));
  return types.size > 0 && types.size === shapes.length ? shapes : [...shapes, 'scalar'];
};

/** Keywords that limit the characters of a text. */
const TEXT_KEYWORDS = ['enum', 'const', 'pattern', 'format'];

/** Whether a schema may refuse a text for the characters in it. */
const limitsText = (document: unknown, at: string): boolean => {
  const types = typesOf(document, at);
  const says = (place: string): boolean =>
    TEXT_KEYWORDS.some((keyword) => ownMember(valueAt(document, place), keyword) !== undefined);
  return (types.size > 0 && !types.has('string')) || placesOf(document, at).some(says);
};

/** How a value is written, whatever its shape. */
export interface Written extends Omit<Style, 'shape' | 'isItem'>, Pick<BracketRules, 'place' | 'declared'> {}

/** How a value is read, and the names under which it is sent. */
export interface Reader {
  readonly read: Read<Sent>;
  readonly names: readonly string[];
  /** Whether its name may have brackets, too: where it is repeated or has members otherwise. */
  readonly isBracketed: boolean;
  /** Whether its members are sent under their own names. */
  readonly isSpread: boolean;
}

/** The reader of a value that is sent under its own name only. */
export const singleReader = (name: string, read: Read<Sent>): Reader => ({
  read,
  names: [name],
  isBracketed: false,
  isSpread: false,
});

/** Creates a check whether a sent name belongs to any of these readers. */
export const createOwns = (readers: readonly (Reader & { readonly name: string })[]) => {
  const names = new Set(readers.flatMap((reader) => reader.names));
  const bracketed = new Set(readers.flatMap(({ name, isBracketed }) => (isBracketed ? [name] : [])));
  return (sent: string): boolean => names.has(sent) || bracketed.has(splitName(sent)?.[0] ?? '');
};

/** Compiles a reader for a value, by its style and by the schema at a pointer. */
export const createReader = (document: unknown, acceptsAt: AcceptsAt) => {
  const typing = createTyping(document, acceptsAt);

  return (
    written: Written,
    schemaAt: string,
    decode: (text: string) => string,
    mayHaveBrackets = true,
  ): Reader => {
    const { name, style, explode, members } = written;
    const shapes = shapesOf(document, schemaAt);
    const isRepeated = style === 'form' && explode;
    const takesBrackets =
      style === 'deepObject' || (isRepeated && shapes.some((shape) => shape !== 'scalar'));
    const isBracketed = mayHaveBrackets && takesBrackets;
    const toTyped = typing(schemaAt);
    const items = once(() =>
      membersAt(document, schemaAt, 'items').map((at) => {
        const [isLimited, read, accepts] = [limitsText(document, at), typing(at), acceptsAt(at)];
        return (text: string): boolean => {
          const { value, exact } = read(text);
          return !isLimited || accepts(value, exact);
        };
      }),
    );
    const isItem = (text: string): boolean =>
      items().length === 0 || items().some((accepts) => accepts(text));
    const ways = shapes.map((shape): Read<Sent> => {
      const ofShape = { ...written, shape, isItem };
      return (sent) => {
        const texts = readTexts(ofShape, sent, decode);
        return texts === undefined ? undefined : toTyped(texts);
      };
    });
    const readFlat = firstAccepted(ways, acceptsAt(schemaAt));
    const rules = { ...written, isList: shapes.join() === 'array' };
    const read: Read<Sent> = (sent) => {
      const texts = readBrackets(rules, sent, decode);
      return texts === undefined ? readFlat(sent) : toTyped(texts);
    };
    return {
      read: isBracketed ? read : readFlat,
      names: shapes.flatMap((shape) => (isRepeated && shape === 'object' ? members : [name])),
      isBracketed,
      isSpread: isRepeated && shapes.includes('object'),
    };
  };
};
