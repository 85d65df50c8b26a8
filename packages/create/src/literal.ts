/** Writes names, texts and values of a contract as TypeScript. None of them may become code. */
import { isTree } from '@trellis/openapi/internal/json';

/** A contract is data, and no data has a symbol: whatever members it names, none of it becomes code. */
const CODE = Symbol('code');

/** Text that is written verbatim, such as a name. Never text from the contract. */
export interface Code {
  readonly [CODE]: string;
}

/** Marks a text as code. */
export const codeOf = (text: string): Code => ({ [CODE]: text });

const isCode = (value: object): value is Code => CODE in value;

/** How each file begins that only the contract decides. */
export const DO_NOT_EDIT =
  '// Generated from openapi.yaml by `npm run generate`. Do not edit: change the contract instead.\n';

/** A text for a JSDoc comment. It neither ends the comment nor begins a tag: `\@` is an `@` in Markdown. */
export const inComment = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/(?<=^|[\p{C}\p{Z}{])@/gu, '\\@')
    .replaceAll('*/', '*\\/');

/** A text as a literal of TypeScript: with single quotes, unless the text holds one or needs escapes. */
export const quote = (text: string): string => {
  const quoted = JSON.stringify(text);
  return /['\\]/.test(quoted) ? quoted : `'${quoted.slice(1, -1)}'`;
};

const LONGEST = 110;

/** The name of a member. `"__proto__": x` would set the prototype; a number of 16 digits may become another one. */
export const memberName = (name: string): string => {
  if (name === '__proto__') return '["__proto__"]';
  return /^(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,14})$/.test(name) ? name : JSON.stringify(name);
};

/** A value as TypeScript, on one line if it is short. Members that are undefined are left out. */
export const literalOf = (value: unknown, indent = ''): string => {
  if (!isTree(value)) return JSON.stringify(value);
  if (isCode(value)) return value[CODE];
  const inner = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((item) => literalOf(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${memberName(name)}: ${literalOf(member, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const line = parts.length === 0 ? open.trim() + close.trim() : open + parts.join(', ') + close;
  if (line.length + indent.length <= LONGEST && !line.includes('\n')) return line;
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`;
};
