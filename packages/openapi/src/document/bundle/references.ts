/** Rewrites references between files to references within one document. */
import { isTree, pointerSteps, pointerTo, type Tree, targetOf, uriFragment } from '../../json/pointer.ts';
import type { Note } from '../note.ts';
import type { ComponentNames } from './component-names.ts';
import type { Pages } from './pages.ts';
import { type Location, locationKey } from './pages.ts';

/** A component from another file, or from another part of the contract. */
export interface Component {
  readonly section: string;
  readonly name: string;
  readonly location: Location;
}

/** The state of a bundle that is being written. */
export interface Bundling {
  readonly root: string;
  readonly pages: Pages;
  readonly names: ComponentNames;
  /** Whether the contract is of OpenAPI 3.2. */
  readonly isNewer: boolean;
  /** Unread files that are needed, each with a file that refers to it. */
  readonly wanted: Map<string, string>;
  /** Components to add to the document, by pointer. */
  readonly components: Map<string, Component>;
  readonly notes: Map<string, Note>;
  /** The location that each part of the document was read from, by pointer. */
  readonly origins: Map<string, Location>;
  /** The number of objects written, and of these the objects written in place of a `$ref`. */
  written: number;
  copied: number;
}

/** The name of a schema, which a discriminator may use instead of a reference. */
const NAME = /^[A-Za-z0-9._-]+$/;
const FILE = /\.(?:ya?ml|json)$/i;

/**
 * Whether a pointer is the pointer of a component in a section. Any other target is copied into a component, because
 * operations may be left out, schemas outside `components` are not checked, and a property has another type than its schema.
 */
export const isComponent = (pointer: string, section: string): boolean =>
  /^\/components\/[^/]+\/[^/]+$/.test(pointer) && pointer.startsWith(`/components/${section}/`);

/** Resolves a reference, and notes a file that must be read first. */
export const resolve = (bundling: Bundling, ref: string, from: string) => {
  const target = bundling.pages.resolve(ref, from);
  if (target?.isRead === false) bundling.wanted.set(target.location.url, from);
  return target;
};

/** Rewrites a reference in a file to a reference to a component, which is added to the document if necessary. */
export const refer = (bundling: Bundling, ref: string, from: string, section: string): string => {
  const { root, names, components } = bundling;
  const target = resolve(bundling, ref, from);
  if (!target) return ref;
  const { location, value } = target;
  if (location.url === root && (value === undefined || isComponent(location.pointer, section)))
    return from === root && ref.startsWith('#') ? ref : uriFragment(location.pointer);
  // The full URL of a missing target cannot be mistaken for a pointer into the document.
  if (value === undefined) return locationKey(location);
  const name = names.nameOf(section, location);
  const pointer = pointerTo('components', section, name);
  components.set(pointer, { section, name, location });
  return uriFragment(pointer);
};

/** Rewrites the references of a discriminator. */
export const referMapping = (bundling: Bundling, discriminator: Tree, from: string): Tree => {
  const referTo = (to: unknown): unknown =>
    typeof to === 'string' && (!NAME.test(to) || FILE.test(to)) ? refer(bundling, to, from, 'schemas') : to;
  const { mapping, defaultMapping } = discriminator;
  const entries = Object.entries(mapping ?? {}).map(([value, to]) => [value, referTo(to)]);
  return {
    ...discriminator,
    ...(entries.length > 0 && { mapping: Object.fromEntries(entries) }),
    ...(defaultMapping !== undefined && { defaultMapping: referTo(defaultMapping) }),
  };
};

/** Rewrites the URIs of security schemes in a requirement (OAS 3.2, section 4.30). Names of components come first. */
export const referSchemes = (bundling: Bundling, requirement: Tree, from: string): Tree =>
  Object.fromEntries(
    Object.entries(requirement).map(([name, scopes]) => {
      const isUri = /[#/]/.test(name) || FILE.test(name);
      const isRef = isUri && !bundling.names.isTaken('securitySchemes', name);
      const target = isRef ? targetOf(refer(bundling, name, from, 'securitySchemes')) : undefined;
      return [pointerSteps(target ?? '').at(-1) ?? name, scopes];
    }),
  );

/** The target of a reference, overridden by the members beside the `$ref`. */
export const merge = (target: unknown, { $ref: _ref, ...beside }: Tree): unknown =>
  isTree(target) && !Array.isArray(target) ? { ...target, ...beside } : target;
