import {
  fromDocument,
  isTree,
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
import { createNeedsDecoding, isInt64 } from './needs-decoding.ts';
import {
  createDecode,
  createVisitAll,
  type Decode,
  type IsCovered,
  type Visit,
  type VisitAll,
  visitBranch,
  visitInt64,
  visitLater,
  visitLeftOut,
  visitMember,
  visitMembers,
  visitMissing,
} from './visits.ts';

/** How many schemas are compiled one inside the other: the call stack would overflow where a thousand follow each other. */
const DEEPEST = 100;

/**
 * Compiles a decoder for valid values. It converts integers to bigint where the types promise a bigint, adds defaults
 * for members that were not sent, and removes `readOnly` members. Edits are collected first and applied last, because
 * selecting the branch of a union validates the value as sent.
 */
export const createValueDecoder = (document: unknown, acceptsAt: AcceptsAt) => {
  const branchesAt = createBranches(document, acceptsAt);
  const evaluatesBeside = createEvaluation(document, branchesAt, acceptsAt);
  const compiled = new Map<string, VisitAll>();
  const needsDecoding = createNeedsDecoding(document);
  let depth = 0;

  const compile = (pointer: string): Visit => {
    const known = compiled.get(pointer);
    if (known) {
      known.isRecursive ||= !known.isComplete;
      return known.visit;
    }
    const made = createVisitAll();
    compiled.set(pointer, made); // before its parts, so that a recursive schema finds itself
    if (needsDecoding(pointer)) {
      made.isRecursive = depth >= DEEPEST; // not known yet: assume that it is
      made.parts.push(
        ...(depth < DEEPEST ? compileParts(pointer) : [visitLater(() => compileParts(pointer))]),
      );
    }
    made.isComplete = true;
    return made.visit;
  };

  const compileProperty = (name: string, at: string): Visit[] => {
    if (isLeftOut(document, at, 'request')) return [visitLeftOut(name)];
    const fallback = defaultOf(document, at, ['allOf']);
    // A default that its own schema refuses is not used; `npm run generate` warns of it.
    const isFit = createFit(acceptsAt(at), fallback);
    const makeDefault = () => {
      const { value, exact } = fromDocument(fallback);
      const holder: Tree = { value };
      createDecode(compile(at))(holder, 'value', exact, createValidationContext(value, exact));
      return holder.value;
    };
    return [
      ...(needsDecoding(at) ? [visitMember(false, name, compile(at))] : []),
      ...(fallback === undefined ? [] : [visitMissing(name, isFit, makeDefault)]),
    ];
  };

  const compileParts = (pointer: string): Visit[] => {
    depth += 1;
    try {
      return partsAt(pointer);
    } catch (error) {
      compiled.clear(); // a half-compiled schema would decode nothing; a deep body may exhaust the call stack here
      throw error;
    } finally {
      depth -= 1;
    }
  };

  const partsAt = (pointer: string): Visit[] => {
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
      ...[...members].flatMap((name) => compileProperty(name, at('properties', name))),
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

  /** Decodes `holder[key]`, which the schema at the pointer accepts, in place. */
  return (pointer: string): Decode => createDecode(compile(pointer));
};
