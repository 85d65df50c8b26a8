import { isTree, ownMember, valueAt } from '../../../src/contract/json/pointer.ts';
import { honourDiscriminators } from './discriminators.ts';
import { hideMembers } from './hidden-members.ts';
import { below, type Place } from './place.ts';
import type { Sources, Tree } from './sources.ts';

/** The direction of a message: requests have no `readOnly` members, responses no `writeOnly` ones. */
export type Direction = 'request' | 'response';

/** A contract in one direction, in plain JSON Schema. Every `$ref` is absolute, and the place of every object is known. */
export interface View {
  /** The parsed files by their URL. */
  readonly trees: ReadonlyMap<string, unknown>;
  readonly document: unknown;
  /** The target of an absolute `$ref`, which may be a `$ref` again. */
  readonly resolve: (ref: string) => unknown;
  /** The final target of a chain of `$ref`s. */
  readonly follow: (value: unknown) => unknown;
  readonly placeOf: (value: unknown) => Place | undefined;
  /** Treats a value from elsewhere as if it were in the root file. */
  readonly adopt: (value: unknown) => unknown;
}

const findAnchor = (value: unknown, name: string): unknown => {
  if (!isTree(value) || value.$anchor === name) return isTree(value) ? value : undefined;
  for (const member of Object.values(value)) {
    const found = findAnchor(member, name);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Keywords that count. Ajv wants numbers here, even where the contract has a huge integer. */
const COUNT = /^(?:min|max)(?:Length|Items|Contains|Properties)$/;

/** Reads the files of a contract for one direction. */
export const createView = ({ root, files }: Sources, direction: Direction): View => {
  const places = new WeakMap<object, Place>();

  const copyMember = (name: string, member: unknown, place: Place): unknown => {
    if (name === '$ref' && typeof member === 'string') return new URL(member, place.file).href;
    if (typeof member === 'bigint' && COUNT.test(name)) return Number(member);
    return copy(member, below(place, name));
  };
  const copy = (value: unknown, place: Place): unknown => {
    if (!isTree(value)) return value;
    const copied: unknown = Array.isArray(value)
      ? value.map((item, index) => copy(item, below(place, `${index}`)))
      : Object.fromEntries(
          Object.entries(value).map(([name, member]) => [name, copyMember(name, member, place)]),
        );
    if (isTree(copied)) places.set(copied, place);
    return copied;
  };

  const trees = new Map([...files].map(([url, value]) => [url, copy(value, { file: url, pointer: '' })]));

  const resolve = (ref: string): unknown => {
    const [url = '', fragment = ''] = ref.split('#');
    const tree = trees.get(url);
    const pointer = decodeURIComponent(fragment);
    return pointer === '' || pointer.startsWith('/') ? valueAt(tree, pointer) : findAnchor(tree, pointer);
  };
  const follow = (value: unknown): unknown => {
    const ref = ownMember(value, '$ref');
    return typeof ref === 'string' ? follow(resolve(ref)) : value;
  };

  /** Replaces a schema, but keeps its place for messages. */
  const replace = (holder: Tree, name: string, schema: Tree): void => {
    const old = holder[name];
    const place = isTree(old) ? places.get(old) : undefined;
    if (place) places.set(schema, place);
    holder[name] = schema;
  };
  const toPlainSchemas = (tree: unknown): void => {
    hideMembers(tree, direction === 'request' ? 'readOnly' : 'writeOnly', { resolve, replace });
    honourDiscriminators(tree, replace);
  };
  toPlainSchemas([...trees.values()]);

  return {
    trees,
    document: trees.get(root),
    resolve,
    follow,
    placeOf: (value) => (isTree(value) ? places.get(value) : undefined),
    adopt: (value) => {
      const copied = copy(value, { file: root, pointer: '' });
      toPlainSchemas([copied]);
      return copied;
    },
  };
};
