import { isTree } from './pointer.ts';

/** Writes a value as JSON. */
export type Encode = (value: unknown) => string;

/** Writes a value as JSON, except for the lists and objects in it, which it leaves to the caller. */
export type EncodeStep = (value: unknown) => string | readonly Part[];

type Part = string | { readonly encode: EncodeStep; readonly value: unknown };

/** The unfinished JSON of a list or an object. */
interface Draft {
  text: string;
  parts: Part[] | undefined;
  /** The text before the next member or item. */
  before: string;
}

/** Starts the JSON of a list or an object. */
export const startDraft = (start: '[' | '{'): Draft => ({ text: '', parts: undefined, before: start });

/** Adds an item, or a member with its name as prefix. */
export const addPart = (draft: Draft, prefix: string, encode: EncodeStep, value: unknown): void => {
  draft.text += draft.before + prefix;
  draft.before = ',';
  const made = isTree(value) ? undefined : encode(value);
  if (typeof made === 'string') {
    draft.text += made;
    return;
  }
  draft.parts ??= [];
  draft.parts.push(draft.text, { encode, value });
  draft.text = '';
};

/** Ends the JSON of a list or an object. */
export const endDraft = ({ text, parts, before }: Draft, end: ']' | '}'): ReturnType<EncodeStep> => {
  const last = (before === ',' ? text : before) + end;
  parts?.push(last);
  return parts ?? last;
};

/** A value that is nested deeper must contain itself. A body of the default limit, 100 KiB, cannot nest as deep. */
const DEEPEST = 200_000;

/** Writes a whole value. It keeps its own stack, so that a deep reply cannot overflow the call stack. */
export const writeWhole = (encode: EncodeStep, value: unknown): string => {
  const whole = encode(value);
  if (typeof whole === 'string') return whole;
  let text = '';
  const open = [{ parts: whole, next: 0 }];
  for (let here = open.at(-1); here; here = open.at(-1)) {
    const part = here.parts[here.next];
    here.next += 1;
    if (part === undefined) {
      open.pop();
      continue;
    }
    const made = typeof part === 'string' ? part : part.encode(part.value);
    if (typeof made === 'string') text += made;
    else if (open.length < DEEPEST) open.push({ parts: made, next: 0 });
    else throw new RangeError('a reply holds itself');
  }
  return text;
};
