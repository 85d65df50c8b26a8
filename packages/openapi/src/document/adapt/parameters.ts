import { followRefs, isTree, ownMember, pointerTo, type Tree, valueAt } from '../../json/pointer.ts';
import type { TakeNote } from '../note.ts';
import { parameterNamesIn } from '../path-item.ts';

/** The places of parameters: the values of `in`. */
const PLACES: readonly unknown[] = ['path', 'query', 'header', 'cookie', 'querystring'];

/** A parameter of a path item or an operation. */
export interface Declared {
  readonly place: string;
  readonly name: string;
  /** The entry in the list: the parameter, or a reference to it. */
  readonly entry: unknown;
}

/** Header names are case-insensitive. */
const parameterKey = ({ place, name }: Declared): string =>
  `${place} ${place === 'header' ? name.toLowerCase() : name}`;

/** Whether a parameter has a name, a place and, `in: querystring`, exactly one media type. */
const isReadable = (target: unknown): target is Tree & { readonly name: string } => {
  if (!isTree(target) || typeof target.name !== 'string' || target.name === '__proto__') return false;
  const isWhole = target.in === 'querystring'; // its media type determines its format
  return PLACES.includes(target.in) && (!isWhole || Object.keys(target.content ?? {}).length === 1);
};

/** Corrects a parameter; returns nothing for an unreadable one. A dangling reference is kept, for a later check. */
const correct = (
  document: unknown,
  note: TakeNote,
  entry: unknown,
  at: string,
  title: string,
): Declared[] => {
  const target = valueAt(document, followRefs(document, at));
  const isBroken = target === undefined || ownMember(target, '$ref') !== undefined;
  if (isBroken && ownMember(entry, '$ref') !== undefined) return [{ place: '', name: at, entry }];
  if (!isReadable(target)) {
    note(
      at,
      'a parameter without name or place, with the name `__proto__`, or `in: querystring` without one media type, is ignored; declare it in path, query, header or cookie',
      title,
    );
    return [];
  }
  const { name } = target;
  const amended: Tree = { ...target };
  if (target.in === 'path' && target.required !== true) {
    note(at, 'a path parameter is always required; write `required: true`', `${title} ${name}`);
    amended.required = true;
  }
  if (target.schema === undefined && !isTree(target.content)) {
    note(at, 'a parameter without `schema` may be any text; write one', `${title} ${name}`);
    amended.schema = {};
  }
  const isAmended = Object.keys(amended).some((key) => amended[key] !== target[key]);
  return [{ place: `${target.in}`, name, entry: isAmended ? amended : entry }];
};

/** A path parameter that is not declared, as a string. */
const undeclared = (name: string): Declared => ({
  place: 'path',
  name,
  entry: { name, in: 'path', required: true, schema: { type: 'string' } },
});

/** Creates functions that correct the parameters of path items and operations. */
export const createParameterCheck = (document: unknown, note: TakeNote) => {
  const checkAll = (list: unknown, at: string, path: string, title: string): Declared[] => {
    const named = new Set(parameterNamesIn(path));
    const seen = new Set<string>();
    return Object.entries(isTree(list) ? list : {})
      .flatMap(([index, entry]) => correct(document, note, entry, at + pointerTo(index), title))
      .filter((declared) => {
        const { place, name } = declared;
        const isSpare = place === 'path' && !named.has(name);
        const isRepeated = seen.has(parameterKey(declared));
        if (isSpare)
          note(at, `the path has no {${name}}: remove the parameter, or add it to the path`, title);
        else if (isRepeated)
          note(at, 'a parameter is declared twice, and the first counts; keep one', `${title} ${name}`);
        seen.add(parameterKey(declared));
        return !isSpare && !isRepeated;
      });
  };

  /** The parameters of a path item. */
  const ofItem = (path: string, item: Tree): Declared[] =>
    checkAll(item.parameters, pointerTo('paths', path, 'parameters'), path, path);

  /** The parameters of an operation. Undeclared path parameters are added as strings. */
  const ofOperation = (
    path: string,
    method: string,
    operation: Tree,
    shared: readonly Declared[],
  ): Declared[] => {
    const at = pointerTo('paths', path, method);
    const title = `${method.toUpperCase()} ${path}`;
    const own = checkAll(operation.parameters, at + pointerTo('parameters'), path, title);
    const all = [...shared, ...own];
    if (all.some(({ place }) => place === '')) return own; // a broken reference may declare any parameter
    const declared = new Set(all.filter(({ place }) => place === 'path').map(({ name }) => name));
    const missing = [...new Set(parameterNamesIn(path))].filter((name) => !declared.has(name));
    for (const name of missing)
      note(
        at,
        'a path parameter is not declared, and read as a text; declare it, or correct its name',
        `${title} ${name}`,
      );
    return [...own, ...missing.map(undeclared)];
  };

  return { ofItem, ofOperation };
};

/** The list of parameters as a document has it. */
export const listed = (parameters: readonly Declared[]): { readonly parameters?: unknown[] } =>
  parameters.length === 0 ? {} : { parameters: parameters.map(({ entry }) => entry) };
