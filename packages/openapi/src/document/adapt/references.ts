import { oncePerKey } from '../../json/once.ts';
import { isTree, ownMember, pointerTo, refOf, type Tree, targetOf, valueAt } from '../../json/pointer.ts';
import type { TakeNote } from '../note.ts';
import { operationsIn } from '../path-item.ts';
import { rewriteSchemas } from '../rewrite.ts';

/** The keywords whose keys are names: a property or a header may be called `links`. */
const NAMED =
  'properties|patternProperties|dependentSchemas|dependencies|\\$defs|definitions|headers|encoding';

/** The pointers of parts that no request or reply depends on. */
const UNUSED = new RegExp(`(?<!/(?:${NAMED}))/(?:examples|links|callbacks)/`);

/** A reference that does not resolve, and its pointer. */
interface Broken {
  readonly ref: string;
  readonly pointer: string;
}

/** The references in a value that requests and replies depend on; a property may be called `$ref`. */
const refsIn = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>();
  rewriteSchemas(value, (object, pointer) => {
    const ref = refOf(object);
    if (ref !== undefined && !UNUSED.test(pointer)) found.add(ref);
    return object;
  });
  return found;
};

/** Whether a reference resolves, and is not circular. */
const leads = (document: unknown, ref: string): boolean => {
  const seen = new Set<string>();
  for (let next: string | undefined = ref; next !== undefined; ) {
    const target = seen.has(next) ? undefined : targetOf(next);
    const value = target === undefined ? undefined : valueAt(document, target);
    if (value === undefined) return false;
    seen.add(next);
    next = refOf(value);
  }
  return true;
};

/** Creates a function that finds whether a value depends on a broken reference, directly or indirectly. */
const createBrokenCheck = (document: unknown, broken: ReadonlySet<string>) => {
  const refsBehind = oncePerKey((ref: string) => refsIn(valueAt(document, targetOf(ref) ?? '')));
  return (value: unknown): boolean => {
    const reached = new Set(refsIn(value));
    for (const ref of reached) {
      if (broken.has(ref)) return true;
      for (const next of refsBehind(ref)) reached.add(next); // iteration over a Set includes added entries
    }
    return false;
  };
};

/**
 * Leaves out the operations that refer to something that is not there, such as a URL: nothing is fetched. Elsewhere
 * such a reference means anything.
 */
export const leaveOutBroken = (document: Tree, note: TakeNote): Tree => {
  const found: Broken[] = [];
  const mended = rewriteSchemas(document, (object, pointer) => {
    const ref = refOf(object);
    if (ref === undefined || leads(document, ref)) return object;
    found.push({ ref, pointer });
    const { $ref: _broken, ...rest } = object;
    return rest;
  });
  if (found.length === 0 || !isTree(mended)) return document;
  for (const { ref, pointer } of found)
    note(`${pointer}/$ref`, 'does not resolve; correct the reference, or add its target', `\`${ref}\``);
  const isBroken = createBrokenCheck(document, new Set(found.map(({ ref }) => ref)));
  const paths = Object.entries(isTree(mended.paths) ? mended.paths : {});
  const served = paths.map(([path, item]): [string, unknown] => {
    const declared = ownMember(ownMember(document, 'paths'), path);
    const isItemBroken = isBroken({ parameters: ownMember(declared, 'parameters'), $ref: refOf(declared) });
    const gone = operationsIn(declared)
      .filter(({ operation }) => isItemBroken || isBroken(operation))
      .map(({ method }) => method);
    for (const method of gone)
      note(
        pointerTo('paths', path, method),
        'is left out: it needs a reference that does not resolve',
        `${method.toUpperCase()} ${path}`,
      );
    return [
      path,
      Object.fromEntries(Object.entries(isTree(item) ? item : {}).filter(([key]) => !gone.includes(key))),
    ];
  });
  return { ...mended, paths: Object.fromEntries(served) };
};
