import {
  fromDocument,
  isTree,
  oncePerKey,
  ownMember,
  pointerTo,
  type Tree,
  valueAt,
} from '@trellis/openapi/internal/json';
import { defaultOf, isLeftOut } from '@trellis/openapi/internal/schema';
import { createBranches, createFit } from '../validation/branches.ts';
import { createEvaluation, patternsAt } from '../validation/evaluation.ts';
import type { AcceptsAt } from '../validation/references.ts';
import { createValidationContext } from '../validation/validation-context.ts';
import { createNeedsDecoding, isInt64, isRecursive } from './needs-decoding.ts';
import {
  createDecode,
  type Decode,
  type IsCovered,
  type Visit,
  visitAll,
  visitBranch,
  visitInt64,
  visitLeftOut,
  visitMember,
  visitMembers,
  visitMissing,
} from './visits.ts';

/** The parts of a decoder, from which the visits of schemas are compiled. */
interface Compilation {
  readonly document: unknown;
  readonly acceptsAt: AcceptsAt;
  readonly branchesAt: ReturnType<typeof createBranches>;
  readonly evaluatesBeside: ReturnType<typeof createEvaluation>;
  readonly needsDecoding: (pointer: string) => boolean;
  /** Compiles the visit of the schema at a pointer. */
  readonly compile: (pointer: string) => Visit;
}

const compileProperty = (
  { document, acceptsAt, needsDecoding, compile }: Compilation,
  name: string,
  at: string,
): Visit[] => {
  if (isLeftOut(document, at, 'request')) return [visitLeftOut(name)];
  const fallback = defaultOf(document, at, ['allOf']);
  const makeDefault = () => {
    const { value, exact } = fromDocument(fallback);
    const holder: Tree = { value };
    createDecode(compile(at))(holder, 'value', exact, createValidationContext(value, exact));
    return holder.value;
  };
  return [
    ...(needsDecoding(at) ? [visitMember(false, name, compile(at))] : []),
    // A default that its own schema refuses is not used; `npm run generate` warns of it.
    ...(fallback === undefined ? [] : [visitMissing(name, createFit(acceptsAt(at), fallback), makeDefault)]),
  ];
};

const compileParts = (compilation: Compilation, pointer: string): Visit[] => {
  const { document, acceptsAt, branchesAt, evaluatesBeside, needsDecoding, compile } = compilation;
  const schema = valueAt(document, pointer);
  const namesUnder = (keyword: string) => Object.keys(ownMember(schema, keyword) ?? {});
  const at = (...steps: readonly string[]) => pointer + pointerTo(...steps);
  const members = new Set(namesUnder('properties'));
  const items = new Set(namesUnder('prefixItems'));
  const patterns = patternsAt(document, pointer);
  const isNamed = (name: string) => members.has(name) || patterns.some(({ pattern }) => pattern.test(name));
  /** Visits the members, or items, that a keyword applies to. */
  const visitCovered = (keyword: string, ofArrays: boolean, isCovered: () => IsCovered): Visit[] =>
    isTree(ownMember(schema, keyword)) && needsDecoding(at(keyword))
      ? [visitMembers(ofArrays, isCovered(), compile(at(keyword)))]
      : [];
  const unevaluated = (): IsCovered => {
    const evaluates = evaluatesBeside(pointer);
    return (name, value, exact, context) => !evaluates(name, value, exact, context);
  };
  const contained = (): IsCovered => {
    const isContained = acceptsAt(at('contains'));
    return (index, value, exact, context) => isContained(value[index], ownMember(exact, index), context);
  };
  return [
    ...(isInt64(schema) ? [visitInt64] : []),
    ...branchesAt(pointer)
      .filter((branch) => needsDecoding(branch.at))
      .map(({ at: branch, applies }) =>
        applies === undefined ? compile(branch) : visitBranch(applies, compile(branch)),
      ),
    ...[...members].flatMap((name) => compileProperty(compilation, name, at('properties', name))),
    ...[...items].map((index) => visitMember(true, index, compile(at('prefixItems', index)))),
    ...patterns.map(({ pattern, at: each }) =>
      visitMembers(false, (name) => pattern.test(name), compile(each)),
    ),
    ...visitCovered('additionalProperties', false, () => (name) => !isNamed(name)),
    ...visitCovered('items', true, () => (index) => !items.has(index)),
    ...visitCovered('contains', true, contained),
    ...visitCovered('unevaluatedProperties', false, unevaluated),
    ...visitCovered('unevaluatedItems', true, unevaluated),
  ];
};

/**
 * Compiles a decoder for valid values. It converts integers to bigint where the types promise a bigint, adds defaults
 * for members that were not sent, and removes `readOnly` members. Edits are collected first and applied last, because
 * selecting the branch of a union validates the value as sent.
 */
export const createValueDecoder = (document: unknown, acceptsAt: AcceptsAt) => {
  const branchesAt = createBranches(document, acceptsAt);
  const needsDecoding = createNeedsDecoding(document);
  const compile = oncePerKey((pointer: string): Visit => {
    const isNeeded = needsDecoding(pointer);
    return visitAll(
      () => (isNeeded ? compileParts(compilation, pointer) : []),
      isNeeded && isRecursive(document, pointer),
    );
  });
  const evaluatesBeside = createEvaluation(document, branchesAt, acceptsAt);
  const compilation = { document, acceptsAt, branchesAt, evaluatesBeside, needsDecoding, compile };

  /** Decodes `holder[key]`, which the schema at the pointer accepts, in place. */
  return (pointer: string): Decode => createDecode(compile(pointer));
};
