import { createInquiry, type Inquiry } from '../json/inquiry.ts';
import { isBigint, toInt64 } from '../json/int64.ts';
import { fromDocument } from '../json/parse.ts';
import { holds, isTree, ownMember, pointerTo, refAt, valueAt } from '../json/pointer.ts';
import { isLeftOut } from '../schema/access.ts';
import { type Applies, type CompileAccepts, createBranches, lazily } from '../schema/branches.ts';
import { defaultOf } from '../schema/shape.ts';
import { createEvaluation, patternsAt } from './evaluation.ts';

type Tree = Record<string, unknown>;

/** What is to be done to a value once all of it has been looked at. Removals go last. */
interface Edits {
  readonly inquiry: Inquiry;
  /** The lists and objects that are to be looked at yet: to go down there at once would take a stack as deep as they are. */
  pending: (() => void)[] | undefined;
  readonly changes: (() => void)[];
  removals: (() => void)[] | undefined;
  /** The lists and objects that each schema which refers to itself has been at. */
  seen: Map<Visit, Set<unknown>> | undefined;
}

/** Gathers the edits that `holder[key]` needs; `exact` is the exact tree at that place. */
type Visit = (holder: Tree, key: string, exact: unknown, edits: Edits) => void;

/** Whether a member, or item, is meant by a keyword. */
type IsMeant = (name: string, value: Tree, exact: unknown, inquiry: Inquiry) => boolean;

/** A schema, compiled. */
interface Compiled {
  readonly visit: Visit;
  isComplete: boolean;
  /** Whether a part of it leads back to it. */
  isRecursive: boolean;
}

/** Whether a schema has been at a value: two branches that both lead there find the same, and so on at each level. */
const hasSeen = (edits: Edits, visit: Visit, value: unknown): boolean => {
  if (!isTree(value)) return false;
  edits.seen ??= new Map();
  const values = edits.seen.get(visit) ?? new Set();
  if (values.has(value)) return true;
  edits.seen.set(visit, values.add(value));
  return false;
};

/** The types have literals for constants, unless one of them is beyond what a number can be. */
const hasLiterals = (schema: unknown): boolean => {
  const constants = [ownMember(schema, 'enum'), ownMember(schema, 'const')];
  return constants.some((each) => each !== undefined) && !holds(constants, isBigint);
};

/** Where `npm run generate` promises a bigint: not where the types have literals, or a plain number. */
const isInt64 = (schema: unknown): boolean =>
  ownMember(schema, 'format') === 'int64' &&
  [ownMember(schema, 'type')].flat().includes('integer') &&
  !hasLiterals(schema);

const visitInt64: Visit = (holder, key, exact, { changes }) => {
  const value = holder[key];
  if (typeof value !== 'number') return;
  const int64 = toInt64(value, exact);
  if (int64 !== undefined)
    changes.push(() => {
      holder[key] = int64;
    });
};

/** Goes on with a part of a value. */
const visitPart = (visit: Visit, value: Tree, name: string, exact: unknown, edits: Edits): void => {
  const exactPart = ownMember(exact, name);
  if (isTree(value[name])) {
    edits.pending ??= [];
    edits.pending.push(() => visit(value, name, exactPart, edits));
  } else visit(value, name, exactPart, edits);
};

const visitMember =
  (ofArrays: boolean, name: string, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    const value = holder[key];
    if (isTree(value) && Array.isArray(value) === ofArrays && Object.hasOwn(value, name))
      visitPart(visit, value, name, exact, edits);
  };

/** Every member, or item, whose name is meant. */
const visitMembers =
  (ofArrays: boolean, isMeant: IsMeant, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    const value = holder[key];
    if (!isTree(value) || Array.isArray(value) !== ofArrays) return;
    for (const name of Object.keys(value))
      if (isMeant(name, value, exact, edits.inquiry)) visitPart(visit, value, name, exact, edits);
  };

const visitBranch =
  (applies: Applies, visit: Visit): Visit =>
  (holder, key, exact, edits) => {
    if (applies(holder[key], exact, edits.inquiry)) visit(holder, key, exact, edits);
  };

/** A member that was not sent is as if its default had been. */
const visitMissing =
  (name: string, makeDefault: () => unknown): Visit =>
  (holder, key, _exact, { changes }) => {
    const value = holder[key];
    if (!isTree(value) || Array.isArray(value) || Object.hasOwn(value, name)) return;
    changes.push(() => {
      if (Object.hasOwn(value, name)) return;
      Object.defineProperty(value, name, {
        value: makeDefault(),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    });
  };

/** A member that has no place in a request is as if it had not been sent. */
const visitLeftOut =
  (name: string): Visit =>
  (holder, key, _exact, edits) => {
    const value = holder[key];
    if (!isTree(value) || Array.isArray(value)) return;
    edits.removals ??= [];
    edits.removals.push(() => Reflect.deleteProperty(value, name));
  };

/**
 * Finds the way from a schema to what a handler gets: a bigint wherever `generated/` promises one, where Ajv validates
 * the doubles of `JSON.parse`; defaults for what was not sent; nothing that is `readOnly`. Edits are gathered first
 * and made last, because the branch of a union is found by validating it, which wants the value as it came.
 */
export const createValueDecoder = (document: unknown, compileAccepts: CompileAccepts) => {
  const accepts = lazily(compileAccepts);
  const branchesAt = createBranches(document, compileAccepts);
  const evaluatesBeside = createEvaluation(document, branchesAt, accepts);
  const compiled = new Map<string, Compiled>();
  const idle = new Set<string>();

  /** Whether there is anything to do, there or further down. */
  const matters = (pointer: string, seen: Set<string>): boolean => {
    if (idle.has(pointer) || seen.has(pointer)) return false;
    seen.add(pointer);
    const schema = valueAt(document, pointer);
    if (!isTree(schema)) return false;
    const parts = Object.keys(schema).map((key) => pointer + pointerTo(key));
    const target = refAt(document, pointer) ?? [];
    return (
      isInt64(schema) ||
      schema.readOnly === true ||
      schema.default !== undefined ||
      parts.concat(target).some((part) => matters(part, seen))
    );
  };

  const isIdle = (pointer: string): boolean => {
    const seen = new Set<string>();
    if (matters(pointer, seen)) return false;
    for (const each of seen) idle.add(each);
    return true;
  };

  const compile = (pointer: string): Visit => {
    const known = compiled.get(pointer);
    if (known) {
      known.isRecursive ||= !known.isComplete;
      return known.visit;
    }
    const visits: Visit[] = [];
    const visit: Visit = (holder, key, exact, edits) => {
      if (made.isRecursive && hasSeen(edits, visit, holder[key])) return;
      for (const each of visits) each(holder, key, exact, edits);
    };
    const made: Compiled = { visit, isComplete: false, isRecursive: false };
    compiled.set(pointer, made); // before its parts: a recursive schema finds itself
    if (!isIdle(pointer)) visits.push(...compileParts(pointer));
    made.isComplete = true;
    return visit;
  };

  const compileProperty = (name: string, at: string): Visit[] => {
    if (isLeftOut(document, at, 'request')) return [visitLeftOut(name)];
    const fallback = defaultOf(document, at, ['allOf']);
    const makeDefault = () => {
      const { value, exact } = fromDocument(fallback);
      const holder: Tree = { value };
      decode(compile(at), holder, 'value', exact, createInquiry(value, exact));
      return holder.value;
    };
    return [
      ...(isIdle(at) ? [] : [visitMember(false, name, compile(at))]),
      ...(fallback === undefined ? [] : [visitMissing(name, makeDefault)]),
    ];
  };

  const compileParts = (pointer: string): Visit[] => {
    const schema = valueAt(document, pointer);
    const namesUnder = (keyword: string) => Object.keys(ownMember(schema, keyword) ?? {});
    const at = (...steps: readonly string[]) => pointer + pointerTo(...steps);
    const members = new Set(namesUnder('properties'));
    const items = new Set(namesUnder('prefixItems'));
    const patterns = patternsAt(document, pointer);
    const isNamed = (name: string) => members.has(name) || patterns.some(({ pattern }) => pattern.test(name));
    /** The members, or items, that a keyword is about, if it is there. */
    const visitThose = (keyword: string, ofArrays: boolean, isMeant: () => IsMeant): Visit[] =>
      isTree(ownMember(schema, keyword)) && !isIdle(at(keyword))
        ? [visitMembers(ofArrays, isMeant(), compile(at(keyword)))]
        : [];
    const unevaluated = (): IsMeant => {
      const evaluates = evaluatesBeside(pointer);
      return (name, value, exact, inquiry) => !evaluates(name, value, exact, inquiry);
    };
    const contained = (): IsMeant => {
      const isContained = accepts(at('contains'));
      return (index, value, exact, inquiry) => isContained(value[index], ownMember(exact, index), inquiry);
    };
    return [
      ...(isInt64(schema) ? [visitInt64] : []),
      ...branchesAt(pointer)
        .filter((branch) => !isIdle(branch.at))
        .map(({ at: branch, applies }) =>
          applies === undefined ? compile(branch) : visitBranch(applies, compile(branch)),
        ),
      ...[...members].flatMap((name) => compileProperty(name, at('properties', name))),
      ...[...items].map((index) => visitMember(true, index, compile(at('prefixItems', index)))),
      ...patterns.map(({ pattern, at: each }) =>
        visitMembers(false, (name) => pattern.test(name), compile(each)),
      ),
      ...visitThose('additionalProperties', false, () => (name) => !isNamed(name)),
      ...visitThose('items', true, () => (index) => !items.has(index)),
      ...visitThose('contains', true, contained),
      ...visitThose('unevaluatedProperties', false, unevaluated),
      ...visitThose('unevaluatedItems', true, unevaluated),
    ];
  };

  const decode = (visit: Visit, holder: Tree, key: string, exact: unknown, inquiry: Inquiry): void => {
    const edits: Edits = { inquiry, pending: undefined, changes: [], removals: undefined, seen: undefined };
    visit(holder, key, exact, edits);
    for (let next = edits.pending?.pop(); next; next = edits.pending?.pop()) next();
    for (const change of edits.changes) change();
    if (edits.removals) for (const remove of edits.removals) remove();
  };

  /** Makes of `holder[key]`, which the schema at the pointer accepts, what a handler gets, in place. */
  return (pointer: string) => {
    const visit = compile(pointer);
    return (holder: Tree, key: string, exact: unknown, inquiry: Inquiry): void =>
      decode(visit, holder, key, exact, inquiry);
  };
};
