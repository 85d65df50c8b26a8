/** Writes values as TypeScript. */
import { isTree } from '@trellis/openapi/json';

/** A contract is data, and no data has a symbol: whatever members it names, none of it becomes code. */
const CODE = Symbol('code');

/** Text that is written as it is: a name, say. Never text of the contract. */
export interface Code {
  readonly [CODE]: string;
}

/** Marks a text as code. */
export const codeOf = (text: string): Code => ({ [CODE]: text });

const isCode = (value: object): value is Code => CODE in value;

const LONGEST = 110;

/** `"__proto__": x` would set the prototype. A number of 16 digits may be written as another one. */
const keyOf = (name: string): string => {
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
        .map(([name, member]) => `${keyOf(name)}: ${literalOf(member, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }'];
  const line = parts.length === 0 ? open.trim() + close.trim() : open + parts.join(', ') + close;
  if (line.length + indent.length <= LONGEST && !line.includes('\n')) return line;
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`;
};
