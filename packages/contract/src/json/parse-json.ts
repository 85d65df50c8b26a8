import { isUtf8 } from 'node:buffer';
import {
  type ExactValue,
  isTree,
  MOST_COUNTED,
  parseExactNumbers,
  placeOf,
  pointerTo,
  type Violation,
} from '@trellis/openapi/internal/json';
import { Problem, schemaMismatch } from '../problems/problem.ts';

/** The place of a value in another value. It is written out only if a violation is found. */
export interface Place {
  /** The name of a member, or the index of an item; of the outermost value, what messages call it. */
  readonly key: string;
  readonly parent: Place | undefined;
}

/** A value that is nested deeper gets no pointer: it would be too long to read. */
const DEEPEST_POINTER = 100;

/** Creates the violation of a value at a place. `describe` may add to its name. */
export const violationAt = (
  place: Place,
  message: string,
  describe = (whole: string): string => whole,
): Violation => {
  const steps: string[] = [];
  let root = place;
  for (; root.parent; root = root.parent) steps.push(root.key);
  steps.reverse();
  const isInBody = root.key === 'body' && steps.length <= DEEPEST_POINTER;
  return {
    place: describe(placeOf(root.key, steps)),
    message,
    pointer: isInBody ? pointerTo(...steps) : undefined,
  };
};

/** Only escapes can bring in text that well-formed UTF-8 cannot hold. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

const flawOf = (text: string): string | undefined => {
  if (text.includes('\0')) return 'must not hold U+0000';
  if (!text.isWellFormed()) return 'must not hold a lone surrogate';
  return undefined;
};

/** A value on the walk. */
interface Node extends Place {
  readonly value: unknown;
}

/**
 * Throws 400 if no store can keep a text in the value exactly, and lists the places, up to a limit. `name` is the name
 * of the value in messages. The walk keeps its own stack, so that a deeply nested body cannot overflow the call stack.
 */
export const checkStorable = (root: unknown, name = 'body'): void => {
  const found: Violation[] = [];
  const pending: Node[] = [{ value: root, key: name, parent: undefined }];
  for (let node = pending.pop(); node && found.length <= MOST_COUNTED; node = pending.pop()) {
    const { value } = node;
    const flaw = typeof value === 'string' ? flawOf(value) : undefined;
    if (flaw) found.push(violationAt(node, flaw));
    if (!isTree(value)) continue;
    for (const key of Object.keys(value).reverse()) {
      const flawOfName = Array.isArray(value) ? undefined : flawOf(key);
      if (flawOfName && found.length <= MOST_COUNTED)
        found.push(violationAt(node, flawOfName, (whole) => `a name in ${whole}`));
      pending.push({ value: value[key], key, parent: node });
    }
  }
  if (found.length > 0) throw schemaMismatch(found);
};

/** Decodes the bytes that `name` names; throws 400 if they are not UTF-8. */
export const toText = (bytes: Buffer, name = 'body'): string => {
  if (!isUtf8(bytes)) throw new Problem('malformedJson', `${name} is not valid UTF-8`);
  return bytes.toString('utf8');
};

/** Decodes bytes that are a value by themselves; throws 400 also if no store can keep the text exactly. */
export const toStorableText = (bytes: Buffer, name = 'body'): string => {
  const text = toText(bytes, name);
  checkStorable(text, name);
  return text;
};

/**
 * Parses the JSON that `name` names, without losing a digit; throws 400 if it is not UTF-8 or not JSON, or if no store can
 * keep its texts exactly.
 */
export const parseJson = (bytes: Buffer, name = 'body'): ExactValue => {
  const text = toText(bytes, name);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? `: ${error.message.replace(/ is not valid JSON$/, '')}` : '';
    throw new Problem('malformedJson', `${name} is not valid JSON${reason}`, {
      cause: `${name} is not valid JSON`, // the reason repeats a part of the text, which no log may have
    });
  }
  if (UNSTORABLE_ESCAPE.test(text)) checkStorable(value, name);
  return { value, exact: parseExactNumbers(text) };
};
