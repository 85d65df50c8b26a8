/** RFC 6901, section 4: the steps of a JSON pointer, unescaped. */
export const pointerSteps = (pointer: string): string[] => {
  const steps = pointer.split('/');
  steps.shift(); // the text before the first slash is empty
  return pointer.includes('~')
    ? steps.map((step) => (step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step))
    : steps;
};

const escapeStep = (step: string): string =>
  step.includes('~') || step.includes('/') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;

/** RFC 6901, section 3: the JSON pointer of these steps. */
export const pointerTo = (...steps: readonly string[]): string => {
  let pointer = '';
  for (const step of steps) pointer += `/${escapeStep(step)}`;
  return pointer;
};

/** RFC 6901, section 6: a JSON pointer as the fragment of a URI. */
export const uriFragment = (pointer: string): string =>
  `#${pointer.split('/').map(encodeURIComponent).join('/')}`;

/** An object or an array, with its members by name. */
export type Tree = Record<string, unknown>;

/** Narrows to an object or an array. */
export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Whether a value, or anything in it, passes a test. */
export const holds = (value: unknown, test: (value: unknown) => boolean): boolean => {
  if (test(value)) return true;
  if (isTree(value)) for (const key in value) if (holds(value[key], test)) return true;
  return false;
};

/** A value's own member; never one that it inherits. */
export const ownMember = (value: unknown, key: string): unknown =>
  isTree(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** The value at a pointer; `undefined` if it does not exist. */
export const valueAt = (root: unknown, pointer: string): unknown => {
  let value = root;
  for (const step of pointerSteps(pointer)) value = ownMember(value, step);
  return value;
};

/** The pointer in a reference; `undefined` if it does not lead into the document, or cannot be decoded. */
export const targetOf = (ref: unknown): string | undefined => {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
};

/** The `$ref` of an object; `undefined` if it has none that is a text. */
export const refOf = (value: unknown): string | undefined => {
  const ref = ownMember(value, '$ref');
  return typeof ref === 'string' ? ref : undefined;
};

/** The pointer in the `$ref` at a pointer; `undefined` if there is no reference into the document. */
export const refAt = (document: unknown, pointer: string): string | undefined =>
  targetOf(ownMember(valueAt(document, pointer), '$ref'));

/**
 * Where a pointer leads when every `$ref` on the way is followed. A circle of references ends where it begins. `ends`
 * has where each reference ends, `undefined` while it is being followed: each is followed once.
 */
export const followRefs = (
  document: unknown,
  pointer: string,
  ends = new Map<string, string | undefined>(),
): string => {
  let here = '';
  let value = document;
  for (const step of pointerSteps(pointer)) {
    here += pointerTo(step);
    value = ownMember(value, step);
    const target = targetOf(ownMember(value, '$ref'));
    if (target === undefined) continue;
    const from = here;
    if (!ends.has(from)) {
      ends.set(from, undefined);
      ends.set(from, followRefs(document, target, ends));
    }
    here = ends.get(from) ?? from;
    value = valueAt(document, here);
  }
  return here;
};
