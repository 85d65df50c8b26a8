import { getOrInsert, oncePerKey } from '../../json/once.ts';
import {
  isTree,
  pointerSteps,
  pointerTo,
  refOf,
  type Tree,
  targetOf,
  uriFragment,
  valueAt,
} from '../../json/pointer.ts';
import { anchorsIn } from '../anchors.ts';
import { MOST_VALUES } from '../bounds.ts';
import { isNewer } from '../document.ts';
import { asWritten } from '../methods.ts';
import type { Note } from '../note.ts';
import { type Room, rewriteParts, roomOfSection } from '../rewrite.ts';
import { createComponentNames } from './component-names.ts';
import { createSpots, keyOf, type Spot } from './spot.ts';

/** A contract in one document, in which every reference is a pointer. */
export interface Bundle {
  readonly document: unknown;
  /** What stands in each file; `undefined` for those that cannot be read. */
  readonly pages: ReadonlyMap<string, unknown>;
  readonly notes: readonly Note[];
  /** Where that which stands at a pointer of the document was read. */
  readonly originOf: (pointer: string) => Spot;
}

/** A component that was read from another file. */
interface Component {
  readonly section: string;
  readonly name: string;
  readonly spot: Spot;
}

/**
 * How many objects may be written out in place of references, in the whole contract: a few that lead to each other would be
 * endless.
 */
const MOST_COPIES = 300_000;

/** The name of a schema, which a discriminator may use instead of a reference. */
const NAME = /^[A-Za-z0-9._-]+$/;
const FILE = /\.(?:ya?ml|json)$/i;

/**
 * Whether a pointer leads to a component of a kind. All else that others refer to becomes one: an operation may be left
 * out, nobody checks what stands where no schema is expected, and the type of a property is not that of its schema.
 */
const isComponent = (pointer: string, section: string): boolean =>
  /^\/components\/[^/]+\/[^/]+$/.test(pointer) && pointer.startsWith(`/components/${section}/`);

/** What a reference leads to, with what stands beside it, which counts first. */
const merge = (target: unknown, { $ref: _ref, ...beside }: Tree): unknown =>
  isTree(target) && !Array.isArray(target) ? { ...target, ...beside } : target;

/**
 * Makes one document of a contract and every file that it refers to. Whatever is referred to and is no component becomes
 * one with a name, such as what stands in another file. Where OpenAPI allows no reference, such as in place of an
 * operation or of all schemas, and in place of a path item, what it leads to is put in its place. A reference that leads
 * nowhere stays.
 *
 * `load` gives `undefined` for a file that cannot be read. Files are read from where the contract is: from the same
 * server, or from the same machine.
 */
export const bundle = async (
  root: string,
  load: (url: string, from: string) => Promise<unknown>,
): Promise<Bundle> => {
  const pages = new Map<string, unknown>();
  const need = async (url: string, from: string): Promise<unknown> => {
    if (!pages.has(url)) pages.set(url, await load(url, from));
    return pages.get(url);
  };
  const anchors = oncePerKey((url: string) => anchorsIn(pages.get(url)));
  const isOfNewer = isNewer(await need(root, root));

  const spotOf = createSpots(root, pages);
  const names = createComponentNames();

  /** Where a place leads if references stand there. */
  const follow = async (start: Spot): Promise<Spot> => {
    let [here, from] = [start, start.url];
    for (const seen = new Set<string>(); !seen.has(keyOf(here)); ) {
      seen.add(keyOf(here));
      const ref = refOf(valueAt(await need(here.url, from), here.pointer));
      from = here.url;
      here = (ref === undefined ? undefined : spotOf(ref, here.url)) ?? here;
    }
    return here;
  };

  /** The components of the document keep their names, and give them to the files that they consist of. */
  const takeNames = async (): Promise<void> => {
    const components = await follow({ url: root, pointer: pointerTo('components') });
    const sections = valueAt(pages.get(components.url), components.pointer);
    for (const section of isTree(sections) ? Object.keys(sections) : []) {
      const { url, pointer } = await follow({
        url: components.url,
        pointer: components.pointer + pointerTo(section),
      });
      const entries = valueAt(pages.get(url), pointer);
      for (const [name, entry] of Object.entries(isTree(entries) ? entries : {})) {
        names.take(section, name);
        const spot = Object.keys(entry ?? {}).length === 1 ? spotOf(refOf(entry) ?? '', url) : undefined;
        const isOwn = spot?.url === root && isComponent(spot.pointer, section);
        if (!spot || isOwn) continue;
        const target = valueAt(await need(spot.url, url), spot.pointer);
        if (target !== undefined && refOf(target) === undefined) names.give(section, spot, name);
      }
    }
  };

  /** The files that are not read yet, each with one that refers to it: a part is rewritten again once they are. */
  const wanted = new Map<string, string>();
  const notes = new Map<string, Note>();
  const origins = new Map<string, Spot>();
  /** What was found in other files, by its pointer in the document. */
  const found = new Map<string, Component>();
  let [rewritten, copied] = [0, 0];

  /** Rewrites what stands at a place in a file, as the part of the document at a pointer. */
  const rewrite = (start: Spot, at: string, startRoom: Room, path: readonly string[] = []): unknown => {
    origins.set(at, start);
    const resolve = (ref: string): { spot: Spot; value: unknown } | undefined => {
      const named = spotOf(ref, start.url);
      if (!named) return undefined;
      if (!pages.has(named.url)) {
        wanted.set(named.url, start.url);
        return { spot: named, value: undefined };
      }
      const isAnchor = !/^(?:\/|$)/.test(named.pointer);
      const pointer = isAnchor ? anchors(named.url).get(named.pointer) : named.pointer;
      const spot = { url: named.url, pointer: pointer ?? named.pointer };
      return { spot, value: pointer === undefined ? undefined : valueAt(pages.get(named.url), pointer) };
    };

    /** A reference to a component, which gets a name if it is none yet. */
    const refer = (ref: string, section: string): string => {
      const target = resolve(ref);
      if (!target) return ref;
      const { spot, value } = target;
      if (spot.url === root && (value === undefined || isComponent(spot.pointer, section)))
        return start.url === root && ref.startsWith('#') ? ref : uriFragment(spot.pointer);
      // A place that does not exist is named in full, so that it is not taken for one of the document.
      if (value === undefined) return keyOf(spot);
      const name = names.nameOf(section, spot);
      const pointer = pointerTo('components', section, name);
      found.set(pointer, { section, name, spot });
      return uriFragment(pointer);
    };

    const referMapping = (discriminator: Tree): Tree => {
      const referTo = (to: unknown): unknown =>
        typeof to === 'string' && (!NAME.test(to) || FILE.test(to)) ? refer(to, 'schemas') : to;
      const { mapping, defaultMapping } = discriminator;
      const entries = Object.entries(mapping ?? {}).map(([value, to]) => [value, referTo(to)]);
      return {
        ...discriminator,
        ...(entries.length > 0 && { mapping: Object.fromEntries(entries) }),
        ...(defaultMapping !== undefined && { defaultMapping: referTo(defaultMapping) }),
      };
    };

    /** A requirement may name a security scheme by its URI (OAS 3.2, section 4.30), unless a component has that name. */
    const referSchemes = (requirement: Tree): Tree =>
      Object.fromEntries(
        Object.entries(requirement).map(([name, scopes]) => {
          const isRef = (/[#/]/.test(name) || FILE.test(name)) && !names.isTaken('securitySchemes', name);
          const target = isRef ? targetOf(refer(name, 'securitySchemes')) : undefined;
          return [pointerSteps(target ?? '').at(-1) ?? name, scopes];
        }),
      );

    /** What a reference leads to, in its place. */
    const inline = (object: Tree, ref: string, pointer: string, room: Room): unknown => {
      const target = resolve(ref);
      if (!target || target.value === undefined)
        return { ...object, $ref: target ? keyOf(target.spot) : ref };
      const key = keyOf(target.spot);
      if (path.includes(key)) return { ...object, $ref: key }; // it leads back to itself
      const made = rewrite(target.spot, pointer, room, [...path, key]);
      for (const beside of Object.keys(object)) {
        const own = start.pointer + pointer.slice(at.length) + pointerTo(beside);
        origins.set(pointer + pointerTo(beside), { url: start.url, pointer: own });
      }
      return merge(made, object);
    };

    return rewriteParts(
      valueAt(pages.get(start.url), start.pointer),
      (object, pointer, _home, room) => {
        rewritten += 1;
        if (path.length > 0) copied += 1;
        if (rewritten > MOST_VALUES || copied > MOST_COPIES)
          throw new Error(
            `the contract is too large: more than ${MOST_VALUES} objects, or ${MOST_COPIES} in place of a \`$ref\``,
          );
        const { $ref, discriminator } = object;
        const made =
          isTree(discriminator) && room.hasSchemas
            ? { ...object, discriminator: referMapping(discriminator) }
            : object;
        if (isOfNewer && /\/security\/\d+$/.test(pointer)) return referSchemes(object);
        if (typeof $ref !== 'string') return made;
        if (room.section === 'pathItems') return inline(made, $ref, pointer, room);
        if (room.section === undefined) {
          const isMediaType = isOfNewer && /\/content\/[^/]+$/.test(pointer);
          if (!isMediaType)
            notes.set(pointer, {
              pointer: `${pointer}/$ref`,
              subject: '',
              message:
                'OpenAPI allows no `$ref` here; what it refers to is served in its place, but other tools may refuse it, so write it out',
            });
          return inline(made, $ref, pointer, room);
        }
        const target = refer($ref, room.section);
        const isItsOwn = target === uriFragment(pointer) && target !== $ref;
        if (isItsOwn) return inline(made, $ref, pointer, room);
        return target === $ref ? made : { ...made, $ref: target };
      },
      { pointer: at, room: startRoom },
    );
  };

  /** Rewrites a part, and reads the files that it needs for that. */
  const complete = async (spot: Spot, at: string, room: Room): Promise<unknown> => {
    const before = [rewritten, copied] as const;
    for (;;) {
      wanted.clear();
      [rewritten, copied] = before;
      const made = rewrite(spot, at, room);
      if (wanted.size === 0) return made;
      await Promise.all([...wanted].map(([url, from]) => need(url, from)));
    }
  };

  await takeNames();
  const document = await complete({ url: root, pointer: '' }, '', { hasSchemas: false });
  const added = new Map<string, Map<string, unknown>>();
  // The map grows as the components in it are rewritten.
  for (const [pointer, { section, name, spot }] of found) {
    if (valueAt(document, pointer) !== undefined) continue;
    const made = await complete(spot, pointer, roomOfSection(section));
    getOrInsert(added, section, () => new Map<string, unknown>()).set(name, made);
  }

  const originOf = (adapted: string): Spot => {
    const pointer = asWritten(adapted);
    for (let at = pointer; ; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
      const spot = origins.get(at);
      if (spot) return { url: spot.url, pointer: spot.pointer + pointer.slice(at.length) };
      if (at === '') return { url: root, pointer };
    }
  };
  return { document: withComponents(document, added), pages, notes: [...notes.values()], originOf };
};

/** The document with more components. */
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
