import { toInt64 } from './int64.ts';
import { isTree, ownMember, pointerTo, refAt, valueAt } from './pointer.ts';

/** Compiles the question whether the schema at a pointer accepts a value, given with its exact tree. */
export type CompileAccepts = (pointer: string) => (value: unknown, exact: unknown) => boolean;

type Tree = Record<string, unknown>;
type Edit = () => void;
/** Gathers the edits that `holder[key]` needs; `exact` is the exact tree at that place. */
type Visit = (holder: Tree, key: string, exact: unknown, edits: Edit[]) => void;

/** Where `npm run generate` promises a bigint: not where the types have literals, or a plain number. */
const isInt64 = (schema: unknown): boolean =>
  ownMember(schema, 'format') === 'int64' &&
  [ownMember(schema, 'type')].flat().includes('integer') &&
  ownMember(schema, 'enum') === undefined &&
  ownMember(schema, 'const') === undefined;

const visitInt64: Visit = (holder, key, exact, edits) => {
  const value = holder[key];
  if (typeof value !== 'number') return;
  const int64 = toInt64(value, exact);
  if (int64 !== undefined) edits.push(() => Object.assign(holder, { [key]: int64 }));
};

const visitMember =
  (ofArrays: boolean, name: string, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    const value = holder[key];
    if (isTree(value) && Array.isArray(value) === ofArrays && Object.hasOwn(value, name))
      visit(value, name, ownMember(exact, name), edits);
  };

/** Every member, or item, whose name is meant. */
const visitMembers =
  (ofArrays: boolean, isMeant: (name: string) => boolean, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    const value = holder[key];
    if (!isTree(value) || Array.isArray(value) !== ofArrays) return;
    for (const name of Object.keys(value))
      if (isMeant(name)) visit(value, name, ownMember(exact, name), edits);
  };

const visitBranch =
  (accepts: ReturnType<CompileAccepts>, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    if (accepts(holder[key], exact)) visit(holder, key, exact, edits);
  };

/**
 * Finds the way from a schema to the int64s in its values. Ajv validates the doubles of `JSON.parse`; a
 * handler gets a bigint wherever `generated/` promises one. Edits are gathered first and made last, because
 * the branch of a union is found by validating it, which wants the value as it came.
 */
export const createInt64Decoder = (document: unknown, compileAccepts: CompileAccepts) => {
  const compiled = new Map<string, Visit>();

  const mentionsInt64 = (pointer: string, seen = new Set<string>()): boolean => {
    if (seen.has(pointer)) return false;
    seen.add(pointer);
    const schema = valueAt(document, pointer);
    if (!isTree(schema)) return false;
    const parts = Object.keys(schema).map((key) => pointer + pointerTo(key));
    const target = refAt(document, pointer) ?? [];
    return isInt64(schema) || parts.concat(target).some((part) => mentionsInt64(part, seen));
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
    const rest = (ofArrays: boolean, keyword: string, isNamed: (name: string) => boolean): Visit[] =>
      isTree(ownMember(schema, keyword))
        ? [visitMembers(ofArrays, (name) => !isNamed(name), compile(pointer + pointerTo(keyword)))]
        : [];
    const members = new Map(under('properties'));
    const items = new Map(under('prefixItems'));
    const patterns = under('patternProperties').map(([source, each]) => ({
      pattern: new RegExp(source, 'u'),
      each,
    }));
    const target = refAt(document, pointer);
    return [
      ...(isInt64(schema) ? [visitInt64] : []),
      ...(target === undefined ? [] : [compile(target)]),
      ...under('allOf').map(([, each]) => compile(each)),
      ...[...under('anyOf'), ...under('oneOf')]
        .filter(([, each]) => mentionsInt64(each))
        .map(([, each]) => visitBranch(compileAccepts(each), compile(each))),
      ...[...members].map(([name, each]) => visitMember(false, name, compile(each))),
      ...[...items].map(([index, each]) => visitMember(true, index, compile(each))),
      ...patterns.map(({ pattern, each }) =>
        visitMembers(false, (name) => pattern.test(name), compile(each)),
      ),
      ...rest(
        false,
        'additionalProperties',
        (name) => members.has(name) || patterns.some(({ pattern }) => pattern.test(name)),
      ),
      ...rest(true, 'items', (index) => items.has(index)),
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
