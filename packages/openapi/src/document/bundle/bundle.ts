import { getOrInsert } from '../../json/once.ts';
import { isTree, pointerTo, refOf, valueAt } from '../../json/pointer.ts';
import { isNewer } from '../document.ts';
import { asWritten } from '../methods.ts';
import type { Note } from '../note.ts';
import { slotOfSection } from '../rewrite.ts';
import { type ComponentNames, createComponentNames } from './component-names.ts';
import type { Location } from './pages.ts';
import { createPages, type Pages } from './pages.ts';
import { type Bundling, isComponent } from './references.ts';
import { completePart } from './rewrite-part.ts';

/** A contract in one document, in which every reference is a pointer. */
export interface Bundle {
  readonly document: unknown;
  /** The content of each file by its URL; `undefined` for a file that cannot be read. */
  readonly pages: ReadonlyMap<string, unknown>;
  readonly notes: readonly Note[];
  /** Finds the file that a pointer of the document was read from. */
  readonly originOf: (pointer: string) => Location;
}

/** Reserves the names of the document's components, also for the files that these components refer to. */
const reserveNames = async (root: string, pages: Pages, names: ComponentNames): Promise<void> => {
  const components = await pages.follow({ url: root, pointer: pointerTo('components') });
  const sections = valueAt(pages.contents.get(components.url), components.pointer);
  for (const section of isTree(sections) ? Object.keys(sections) : []) {
    const at = { url: components.url, pointer: components.pointer + pointerTo(section) };
    const { url, pointer } = await pages.follow(at);
    const entries = valueAt(pages.contents.get(url), pointer);
    for (const [name, entry] of Object.entries(isTree(entries) ? entries : {})) {
      names.take(section, name);
      const location =
        Object.keys(entry ?? {}).length === 1 ? pages.locate(refOf(entry) ?? '', url) : undefined;
      const isOwn = location?.url === root && isComponent(location.pointer, section);
      if (!location || isOwn) continue;
      const target = valueAt(await pages.read(location.url, url), location.pointer);
      if (target !== undefined && refOf(target) === undefined) names.give(section, location, name);
    }
  }
};

/** Adds components to a document. */
const withComponents = (
  document: unknown,
  added: ReadonlyMap<string, ReadonlyMap<string, unknown>>,
): unknown => {
  if (added.size === 0 || !isTree(document)) return document;
  const components = isTree(document.components) ? document.components : {};
  const sections = [...added].map(([section, entries]) => {
    const own = components[section];
    return [section, { ...(isTree(own) && own), ...Object.fromEntries(entries) }];
  });
  return { ...document, components: { ...components, ...Object.fromEntries(sections) } };
};

/** Finds the origin of a pointer, or of the nearest ancestor with a known origin. */
const findOrigin = ({ root, origins }: Bundling, adapted: string): Location => {
  const pointer = asWritten(adapted);
  for (let at = pointer; ; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    const origin = origins.get(at);
    if (origin) return { url: origin.url, pointer: origin.pointer + pointer.slice(at.length) };
    if (at === '') return { url: root, pointer };
  }
};

/**
 * Bundles a contract and all files that it refers to into one document. A target of a reference that is not a component
 * becomes one. A reference is replaced by its target in place of a path item, and where OpenAPI allows no reference, such
 * as in place of an operation. A reference without a target is kept.
 *
 * `load` returns `undefined` for a file that cannot be read. Files are read only from the server of the contract, or from
 * this machine if the contract is a file.
 */
export const bundle = async (
  root: string,
  load: (url: string, from: string) => Promise<unknown>,
): Promise<Bundle> => {
  const pages = createPages(root, load);
  const names = createComponentNames();
  const bundling: Bundling = {
    root,
    pages,
    names,
    isNewer: isNewer(await pages.read(root, root)),
    wanted: new Map(),
    components: new Map(),
    notes: new Map(),
    origins: new Map(),
    written: 0,
    copied: 0,
  };
  await reserveNames(root, pages, names);
  const document = await completePart(bundling, { url: root, pointer: '' }, '', { hasSchemas: false });
  const added = new Map<string, Map<string, unknown>>();
  // The map grows while its components are rewritten.
  for (const [pointer, { section, name, location }] of bundling.components) {
    if (valueAt(document, pointer) !== undefined) continue;
    const made = await completePart(bundling, location, pointer, slotOfSection(section));
    getOrInsert(added, section, () => new Map<string, unknown>()).set(name, made);
  }
  return {
    document: withComponents(document, added),
    pages: pages.contents,
    notes: [...bundling.notes.values()],
    originOf: (pointer) => findOrigin(bundling, pointer),
  };
};
