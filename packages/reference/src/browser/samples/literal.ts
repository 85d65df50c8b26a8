import { isTree } from '@trellis/openapi/internal/json';

/** How a language writes values. */
export interface Notation {
  readonly indent: string;
  readonly text: (text: string) => string;
  readonly name: (name: string) => string;
  /** `at` is the pointer of the number's schema, if known. */
  readonly number: (value: number | bigint, at: string | undefined) => string;
  readonly words: { readonly true: string; readonly false: string; readonly null: string };
}

/** The pointers of the schemas of members and items; `undefined` if unknown. */
export type SchemaOf = (at: string | undefined, step: string | undefined) => string | undefined;

/** Lists and objects that fit are written in one line. */
const WIDTH = 44;

/** Writes a value as a literal of a language. */
export const writeLiteral = (
  value: unknown,
  notation: Notation,
  schemaOf: SchemaOf = () => undefined,
  at?: string,
  margin = '',
): string => {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'number' || typeof value === 'bigint') return notation.number(value, at);
  if (typeof value === 'boolean') return notation.words[`${value}`];
  if (!isTree(value)) return notation.words.null;
  const isList = Array.isArray(value);
  const deeper = margin + notation.indent;
  const parts = Object.entries(value).map(([name, member]) => {
    const literal = writeLiteral(member, notation, schemaOf, schemaOf(at, isList ? undefined : name), deeper);
    return isList ? literal : `${notation.name(name)}: ${literal}`;
  });
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  const space = isList || notation.words.true === 'True' ? '' : ' ';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length + margin.length <= WIDTH && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${margin}${close}`;
};
