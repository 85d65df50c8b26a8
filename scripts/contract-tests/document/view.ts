import { isTree, ownMember, valueAt } from '../../../src/contract/json/pointer.ts';
import { honourDiscriminators } from './discriminators.ts';
import { hideMembers } from './hidden-members.ts';
import { below, type Place } from './place.ts';
import type { Sources, Tree } from './sources.ts';

/** Which way a message goes: `readOnly` members are in no request, `writeOnly` ones in no response. */
export type Direction = 'request' | 'response';

/** The contract as one side reads it, in plain JSON Schema: every `$ref` is absolute, every object knows its place. */
export interface View {
  /** The trees, by the URL of their file. */
  readonly trees: ReadonlyMap<string, unknown>;
  readonly document: unknown;
  /** What an absolute `$ref` leads to, one step of the way. */
  readonly resolve: (ref: string) => unknown;
  /** Follows `$ref`s to what they stand for in the end. */
  readonly follow: (value: unknown) => unknown;
  readonly placeOf: (value: unknown) => Place | undefined;
  /** Takes in a value that is no part of the contract, as if it stood in its first file. */
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

/** A count has a bigint only where somebody wrote down the largest that there is. */
const COUNT = /^(?:min|max)(?:Length|Items|Contains|Properties)$/;

/** Reads the files of a contract as one side does. */
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

  /** Puts one schema for another; people still find it where it was. */
  const replace = (holder: Tree, name: string, schema: Tree): void => {
    const old = holder[name];
    const place = isTree(old) ? places.get(old) : undefined;
    if (place) places.set(schema, place);
    holder[name] = schema;
  };
  const mend = (tree: unknown): void => {
    hideMembers(tree, direction === 'request' ? 'readOnly' : 'writeOnly', { resolve, replace });
    honourDiscriminators(tree, replace);
  };
  mend([...trees.values()]);

  return {
    trees,
    document: trees.get(root),
    resolve,
    follow,
    placeOf: (value) => (isTree(value) ? places.get(value) : undefined),
    adopt: (value) => {
      const copied = copy(value, { file: root, pointer: '' });
      mend([copied]);
      return copied;
    },
  };
};
