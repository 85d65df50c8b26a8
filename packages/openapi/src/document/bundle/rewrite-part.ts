/** Rewrites a part of a file as a part of the bundled document. */
import { isTree, pointerTo, type Tree, uriFragment, valueAt } from '../../json/pointer.ts';
import { MOST_VALUES } from '../bounds.ts';
import { rewriteParts, type Slot } from '../rewrite.ts';
import { type Location, locationKey } from './pages.ts';
import { type Bundling, merge, refer, referMapping, referSchemes, resolve } from './references.ts';

/** Most objects written in place of references in a contract. Files that refer to each other could grow without end. */
const MOST_COPIES = 300_000;

const NOT_ALLOWED =
  'OpenAPI allows no `$ref` here; its target is served, but other tools may reject the document, so write the target out';

/** A part of a file. */
interface Part {
  readonly from: Location;
  /** Its pointer in the document. */
  readonly at: string;
  /** The keys of the locations whose references led here. */
  readonly path: readonly string[];
}

const count = (bundling: Bundling, { path }: Part): void => {
  bundling.written += 1;
  if (path.length > 0) bundling.copied += 1;
  if (bundling.written > MOST_VALUES || bundling.copied > MOST_COPIES)
    throw new Error(
      `the contract is too large: more than ${MOST_VALUES} objects, or ${MOST_COPIES} in place of a \`$ref\``,
    );
};

/** Replaces a reference by its target. A reference to itself stays. */
const inline = (bundling: Bundling, part: Part, object: Tree, ref: string, pointer: string, slot: Slot) => {
  const { from, at, path } = part;
  const target = resolve(bundling, ref, from.url);
  if (!target || target.value === undefined)
    return { ...object, $ref: target ? locationKey(target.location) : ref };
  const key = locationKey(target.location);
  if (path.includes(key)) return { ...object, $ref: key };
  const made = rewritePart(bundling, { from: target.location, at: pointer, path: [...path, key] }, slot);
  for (const beside of Object.keys(object)) {
    const own = from.pointer + pointer.slice(at.length) + pointerTo(beside);
    bundling.origins.set(pointer + pointerTo(beside), { url: from.url, pointer: own });
  }
  return merge(made, object);
};

/** Rewrites the references of an object whose members are rewritten already. */
const rewriteObject = (
  bundling: Bundling,
  part: Part,
  object: Tree,
  pointer: string,
  slot: Slot,
): unknown => {
  count(bundling, part);
  const { url } = part.from;
  if (bundling.isNewer && /\/security\/\d+$/.test(pointer)) return referSchemes(bundling, object, url);
  const { $ref, discriminator } = object;
  const made =
    isTree(discriminator) && slot.hasSchemas
      ? { ...object, discriminator: referMapping(bundling, discriminator, url) }
      : object;
  if (typeof $ref !== 'string') return made;
  if (slot.section === 'pathItems') return inline(bundling, part, made, $ref, pointer, slot);
  if (slot.section === undefined) {
    const isMediaType = bundling.isNewer && /\/content\/[^/]+$/.test(pointer);
    const at = `${pointer}/$ref`;
    if (!isMediaType) bundling.notes.set(pointer, { pointer: at, subject: '', message: NOT_ALLOWED });
    return inline(bundling, part, made, $ref, pointer, slot);
  }
  const target = refer(bundling, $ref, url, slot.section);
  if (target === $ref) return made;
  return target === uriFragment(pointer)
    ? inline(bundling, part, made, $ref, pointer, slot)
    : { ...made, $ref: target };
};

const rewritePart = (bundling: Bundling, part: Part, slot: Slot): unknown => {
  const { from, at } = part;
  bundling.origins.set(at, from);
  return rewriteParts(
    valueAt(bundling.pages.contents.get(from.url), from.pointer),
    (object, pointer, _home, inner) => rewriteObject(bundling, part, object, pointer, inner),
    { pointer: at, slot },
  );
};

/** Rewrites a part, again after reading the files that it needs. */
export const completePart = async (bundling: Bundling, from: Location, at: string, slot: Slot) => {
  const { pages, wanted, written, copied } = bundling;
  for (;;) {
    wanted.clear();
    [bundling.written, bundling.copied] = [written, copied];
    const made = rewritePart(bundling, { from, at, path: [] }, slot);
    if (wanted.size === 0) return made;
    await Promise.all([...wanted].map(([url, by]) => pages.read(url, by)));
  }
};
