import { isTree, ownMember, targetOf, valueAt } from '@trellis/openapi/json';
import { type Role, roleOf } from './data.ts';
import { honourDiscriminators } from './discriminators.ts';
import { hideMembers } from './hidden-members.ts';
import { below, type Place } from './place.ts';
import type { Sources, Tree } from './sources.ts';

/** The direction of a message: requests have no `readOnly` members, responses no `writeOnly` ones. */
export type Direction = 'request' | 'response';

/** A contract in one direction, in plain JSON Schema. Every `$ref` is absolute, and the place of every object is known. */
export interface View {
  /** The URL of the contract, which every `$ref` begins with. */
  readonly root: string;
  readonly document: unknown;
  /** The target of an absolute `$ref`, which may be a `$ref` again. */
  readonly resolve: (ref: string) => unknown;
  /** The final target of a chain of `$ref`s. */
  readonly follow: (value: unknown) => unknown;
  readonly placeOf: (value: unknown) => Place | undefined;
  /** Treats a value from elsewhere as if it were in the root file. */
  readonly adopt: (value: unknown) => unknown;
}

/** Keywords that count. Ajv wants numbers here, even where the contract has a huge integer. */
const COUNT = /^(?:min|max)(?:Length|Items|Contains|Properties)$/;

/** Reads a contract for one direction. */
export const createView = ({ root, document: given }: Sources, direction: Direction): View => {
  const places = new WeakMap<object, Place>();

  const copy = (value: unknown, place: Place, role: Role = 'part'): unknown => {
    if (!isTree(value)) return value;
    const isList = Array.isArray(value);
    const copyMember = ([name, member]: [string, unknown]): [string, unknown] => {
      const isReference = role === 'part' && name === '$ref' && typeof member === 'string';
      if (isReference) return [name, new URL(member, place.file).href];
      if (typeof member === 'bigint' && COUNT.test(name)) return [name, Number(member)];
      return [name, copy(member, below(place, name), roleOf(role, name, member, isList))];
    };
    const members = Object.entries(value).map(copyMember);
    const copied: unknown = isList ? members.map(([, member]) => member) : Object.fromEntries(members);
    if (isTree(copied)) places.set(copied, place);
    return copied;
  };

  const document = copy(given, { file: root, pointer: '' });

  const resolve = (ref: string): unknown => {
    const [url = '', fragment = ''] = ref.split('#');
    const target = url === root ? targetOf(`#${fragment}`) : undefined;
    return target === undefined ? undefined : valueAt(document, target);
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
    honourDiscriminators(tree, { resolve, replace });
  };
  toPlainSchemas([document]);

  return {
    root,
    document,
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
