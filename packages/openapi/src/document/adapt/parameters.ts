import { followRefs, isTree, ownMember, pointerTo, type Tree, valueAt } from '../../json/pointer.ts';
import type { TakeNote } from '../note.ts';
import { parameterNamesIn } from '../path-item.ts';

/** Where parameters can stand. */
const PLACES: readonly unknown[] = ['path', 'query', 'header', 'cookie', 'querystring'];

/** A parameter with all that it refers to. */
interface Declared {
  readonly place: string;
  readonly name: string;
  /** What stands in the list: itself, or a reference to it. */
  readonly entry: unknown;
}

/** Header names are case-insensitive. */
const keyOf = ({ place, name }: Declared): string =>
  `${place} ${place === 'header' ? name.toLowerCase() : name}`;

/** Makes a function that puts the parameters of a path and its operations right, where a request can still be read. */
export const createParameterCheck = (document: unknown, note: TakeNote) => {
  /** A parameter that can be read; none if it is ignored. A reference to nothing stays, for others to find. */
  const check = (entry: unknown, at: string, title: string): Declared[] => {
    const target = valueAt(document, followRefs(document, at));
    const isBroken = target === undefined || ownMember(target, '$ref') !== undefined;
    if (isBroken && ownMember(entry, '$ref') !== undefined) return [{ place: '', name: at, entry }];
    const [place, name] = [ownMember(target, 'in'), ownMember(target, 'name')];
    const isWhole = place === 'querystring'; // its media type says how it is written
    if (
      !isTree(target) ||
      typeof name !== 'string' ||
      name === '__proto__' ||
      !PLACES.includes(place) ||
      (isWhole && Object.keys(target.content ?? {}).length !== 1)
    ) {
      const how =
        'a parameter without name or place, with the name `__proto__`, or `in: querystring` without one media type, is ignored';
      note(at, `${how}; declare it in path, query, header or cookie`, title);
      return [];
    }
    const amended = { ...target };
    if (place === 'path' && target.required !== true) {
      note(at, 'a path parameter is always required; write `required: true`', `${title} ${name}`);
      amended.required = true;
    }
    if (target.schema === undefined && !isTree(target.content)) {
      note(at, 'a parameter without `schema` may be any text; write one', `${title} ${name}`);
      amended.schema = {};
    }
    const isAmended = Object.keys(amended).some((key) => amended[key] !== target[key]);
    return [{ place: `${place}`, name, entry: isAmended ? amended : entry }];
  };

  const checkAll = (list: unknown, at: string, path: string, title: string): Declared[] => {
    const named = new Set(parameterNamesIn(path));
    const seen = new Set<string>();
    return Object.entries(isTree(list) ? list : {})
      .flatMap(([index, entry]) => check(entry, at + pointerTo(index), title))
      .filter((declared) => {
        const { place, name } = declared;
        const isSpare = place === 'path' && !named.has(name);
        if (isSpare) note(at, 'a path parameter that its path does not have is ignored', `${title} ${name}`);
        else if (seen.has(keyOf(declared)))
          note(at, 'a parameter is declared twice, and the first counts; keep one', `${title} ${name}`);
        const isKept = !isSpare && !seen.has(keyOf(declared));
        seen.add(keyOf(declared));
        return isKept;
      });
  };

  /** The parameters of the path item itself. */
  const ofItem = (path: string, item: Tree): Declared[] =>
    checkAll(item.parameters, pointerTo('paths', path, 'parameters'), path, path);

  /** The parameters of an operation, and the path parameters that nobody declares: they are texts. */
  const ofOperation = (
    path: string,
    method: string,
    operation: Tree,
    shared: readonly Declared[],
  ): Declared[] => {
    const at = pointerTo('paths', path, method, 'parameters');
    const title = `${method.toUpperCase()} ${path}`;
    const own = checkAll(operation.parameters, at, path, title);
    const declared = new Set(
      [...shared, ...own].filter(({ place }) => place === 'path').map(({ name }) => name),
    );
    const mayBeDeclared = [...shared, ...own].some(({ place }) => place === '');
    const missing = [...new Set(parameterNamesIn(path))].filter(
      (name) => !declared.has(name) && !mayBeDeclared,
    );
    for (const name of missing)
      note(
        pointerTo('paths', path, method),
        'a path parameter is not declared, and read as a text; declare it, or correct its name',
        `${title} ${name}`,
      );
    const texts = missing.map(
      (name): Declared => ({
        place: 'path',
        name,
        entry: { name, in: 'path', required: true, schema: { type: 'string' } },
      }),
    );
    return [...own, ...texts];
  };

  return { ofItem, ofOperation };
};

/** The list of parameters as a document has it. */
export const listed = (parameters: readonly Declared[]): { readonly parameters?: unknown[] } =>
  parameters.length === 0 ? {} : { parameters: parameters.map(({ entry }) => entry) };
