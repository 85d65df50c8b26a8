/** Writes values as TypeScript. */
import { isTree } from '../../../src/contract/json/pointer.ts';

/** Text that is written as it is: a name, say. */
export interface Code {
  readonly code: string;
}

const isCode = (value: object): value is Code => 'code' in value && Object.keys(value).length === 1;

const LONGEST = 110;

/** `"__proto__": x` would set the prototype. */
const keyOf = (name: string): string => {
  if (name === '__proto__') return '["__proto__"]';
  return /^(?:[A-Za-z_$][\w$]*|0|[1-9]\d*)$/.test(name) ? name : JSON.stringify(name);
};

/** A value as TypeScript, on one line if it is short. Members that are undefined are left out. */
export const literalOf = (value: unknown, indent = ''): string => {
  if (!isTree(value)) return JSON.stringify(value);
  if (isCode(value)) return value.code;
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
