import { toInt64 } from './int64.ts';
import { followRefs, isTree, ownMember, pointerTo, valueAt } from './pointer.ts';

/** Compiles the question whether the schema at a pointer accepts a value, given with its exact tree. */
export type CompileAccepts = (pointer: string) => (value: unknown, exact: unknown) => boolean;

type Tree = Record<string, unknown>;
type Edit = () => void;
/** Gathers the edits that `holder[key]` needs; `exact` is the exact tree at that place. */
type Visit = (holder: Tree, key: string, exact: unknown, edits: Edit[]) => void;

const isInt64 = (schema: unknown): boolean => ownMember(schema, 'format') === 'int64';

const visitInt64: Visit = (holder, key, exact, edits) => {
  const value = holder[key];
  if (typeof value !== 'number') return;
  const int64 = toInt64(value, exact);
  if (int64 !== undefined) edits.push(() => Object.assign(holder, { [key]: int64 }));
};

const visitProperty =
  (name: string, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    const value = holder[key];
    if (isTree(value) && Object.hasOwn(value, name)) visit(value, name, ownMember(exact, name), edits);
  };

/** Every member but those that the schema names. */
const visitRest =
  (named: ReadonlySet<string>, ofArrays: boolean, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    const value = holder[key];
    if (!isTree(value) || Array.isArray(value) !== ofArrays) return;
    for (const name of Object.keys(value))
      if (!named.has(name)) visit(value, name, ownMember(exact, name), edits);
  };

const visitBranch =
  (branches: readonly { accepts: ReturnType<CompileAccepts>; visit: Visit }[]): Visit =>
  (holder, key, exact, edits) =>
    branches.find(({ accepts }) => accepts(holder[key], exact))?.visit(holder, key, exact, edits);

/**
 * Finds the way from a schema to the int64s in its values. Ajv validates the doubles of `JSON.parse`; a
 * handler gets a bigint wherever `generated/` promises one. Edits are gathered first and made last, because
 * the branch of a union is found by validating it, which wants the value as it came.
 */
export const createInt64Decoder = (document: unknown, compileAccepts: CompileAccepts) => {
  const compiled = new Map<string, Visit>();

  const mentionsInt64 = (pointer: string, seen = new Set<string>()): boolean => {
    const here = followRefs(document, pointer);
    if (seen.has(here)) return false;
    seen.add(here);
    const schema = valueAt(document, here);
    if (!isTree(schema)) return false;
    return isInt64(schema) || Object.keys(schema).some((key) => mentionsInt64(here + pointerTo(key), seen));
  };

  const compile = (pointer: string): Visit => {
    const known = compiled.get(pointer);
    if (known) return known;
    const visits: Visit[] = [];
    const visit: Visit = (...at) => {
      for (const each of visits) each(...at);
    };
    compiled.set(pointer, visit); // before its parts: a recursive schema finds itself
    if (mentionsInt64(pointer)) visits.push(...compileParts(pointer));
    return visit;
  };

  const compileParts = (pointer: string): Visit[] => {
    const schema = valueAt(document, pointer);
    const under = (keyword: string): [name: string, pointer: string][] =>
      Object.keys(ownMember(schema, keyword) ?? {}).map((name) => [name, pointer + pointerTo(keyword, name)]);
    const rest = (keyword: string, names: string, ofArrays: boolean): Visit[] =>
      isTree(ownMember(schema, keyword))
        ? [
            visitRest(
              new Set(under(names).map(([name]) => name)),
              ofArrays,
              compile(pointer + pointerTo(keyword)),
            ),
          ]
        : [];
    const target = followRefs(document, pointer);
    return [
      ...(isInt64(schema) ? [visitInt64] : []),
      ...(target === pointer ? [] : [compile(target)]),
      ...under('allOf').map(([, each]) => compile(each)),
      ...['anyOf', 'oneOf'].map((keyword) =>
        visitBranch(
          under(keyword).map(([, each]) => ({ accepts: compileAccepts(each), visit: compile(each) })),
        ),
      ),
      ...[...under('properties'), ...under('prefixItems')].map(([name, each]) =>
        visitProperty(name, compile(each)),
      ),
      ...rest('additionalProperties', 'properties', false),
      ...rest('items', 'prefixItems', true),
    ];
  };

  /** Replaces every int64 of `holder[key]`, which the schema at the pointer accepts, by its bigint, in place. */
  return (pointer: string) => {
    const visit = compile(pointer);
    return (holder: Tree, key: string, exact: unknown): void => {
      const edits: Edit[] = [];
      visit(holder, key, exact, edits);
      for (const edit of edits) edit();
    };
  };
};
