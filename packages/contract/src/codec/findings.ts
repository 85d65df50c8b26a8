import {
  compareDecimals,
  isTree,
  MOST_COUNTED,
  ownMember,
  parseDecimal,
  type Tree,
  type Violation,
} from '@trellis/openapi/internal/json';
import { type Place, violationAt } from '../json/parse-json.ts';
import { schemaMismatch } from '../problems/problem.ts';
import { createSteps } from './declared.ts';

/** A member or an item, in the object or list that holds it. */
interface Part extends Place {
  readonly holder: Tree;
}

/** The parts of a value that its schemas do not describe. */
export interface Findings {
  /** The members that no schema of their object declares. */
  readonly undeclared: Part[];
  /** The numbers that a double rounds, and that have no type in any schema. */
  readonly rounded: Part[];
}

/**
 * Finds the parts of `holder[key]` that its schema does not describe; `exact` is its exact tree, `parent` its holder's
 * place.
 */
export type Find = (holder: Tree, key: string, exact: unknown, parent?: Place) => Findings;

/** Collects the findings in a part of a value, given with its exact tree. */
type Step = (part: Part, exact: unknown, found: Findings) => void;

/**
 * Whether a double holds the number that was sent as a text: it is neither too large nor too small, nor an integer beyond
 * 2^53 that the double rounds. A fraction is the nearest double, as everywhere.
 */
const isHeld = (value: number, text: string): boolean => {
  if (value === 0) return !/^[^eE]*[1-9]/.test(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  const [sent, held] = [parseDecimal(text), parseDecimal(String(value))];
  return sent !== undefined && held !== undefined && compareDecimals(sent, held) === 0;
};

const checkNumber = (part: Part, exact: unknown, { rounded }: Findings): void => {
  const value = part.holder[part.key];
  if (typeof value === 'number' && typeof exact === 'string' && !isHeld(value, exact)) rounded.push(part);
};

/** Checks what no schema describes. It keeps its own stack: such a value may be nested deeply. */
const checkAny: Step = (root, rootExact, found) => {
  const pending = [{ part: root, exact: rootExact }];
  for (let here = pending.pop(); here; here = pending.pop()) {
    const { part, exact } = here;
    const value = ownMember(part.holder, part.key);
    checkNumber(part, exact, found);
    if (!isTree(value) || !isTree(exact)) continue;
    for (const key of Object.keys(exact).reverse())
      pending.push({ part: { holder: value, key, parent: part }, exact: exact[key] });
  }
};

/**
 * Compiles how findings are collected in requests. The same members are declared as in replies; every branch of a union
 * counts, unless a discriminator selects a branch.
 */
export const createFindings = (document: unknown) => {
  const stepAt = createSteps<Step>(document, 'request', {
    any: checkAny,
    later: (compile) => {
      let step: Step | undefined;
      return (part, exact, found) => {
        step ??= compile();
        step(part, exact, found);
      };
    },
    select: (property, stepOf) => (part, exact, found) =>
      stepOf(ownMember(part.holder[part.key], property))(part, exact, found),
    make:
      ({ members, otherOf, itemOf, hasNumbers, hasTrees }) =>
      (part, given, found) => {
        const value = part.holder[part.key];
        const isInfinite = value === Infinity || value === -Infinity; // a schema that accepts it is about other numbers
        const isDescribed = given !== undefined && (isTree(value) ? hasTrees() : !isInfinite && hasNumbers());
        const exact = isDescribed ? undefined : given;
        if (!isTree(value)) {
          checkNumber(part, exact, found);
          return;
        }
        const isList = Array.isArray(value);
        for (const key of Object.keys(value)) {
          const step = isList ? itemOf(Number(key)) : (members.get(key) ?? otherOf?.(key));
          if (!step) {
            found.undeclared.push({ holder: value, key, parent: part });
            continue;
          }
          const own = exact === undefined ? undefined : ownMember(exact, key);
          // Most parts are skipped: a scalar that is exact has no findings.
          if (own !== undefined || (step !== checkAny && isTree(value[key])))
            step({ holder: value, key, parent: part }, own, found);
        }
      },
  });

  return (pointer: string): Find => {
    const step = stepAt(pointer);
    return (holder, key, exact, parent) => {
      const found: Findings = { undeclared: [], rounded: [] };
      if (exact !== undefined || isTree(holder[key])) step({ holder, key, parent }, exact, found);
      return found;
    };
  };
};

/** Whether undeclared query parameters are ignored, or refused with 400. */
export type UnknownQuery = 'ignore' | 'refuse';

/** Whether undeclared members of a body are dropped before the handler gets it, or refused with 400. */
export type UnknownBody = 'drop' | 'refuse';

const violationsAt = (parts: readonly Part[], message: string): Violation[] =>
  parts.slice(0, MOST_COUNTED + 1).map((part) => violationAt(part, message));

/**
 * Adds the undeclared members to the violations of a value. Members that a closed schema refused are already listed.
 */
export const withUndeclared = (
  violations: readonly Violation[],
  { undeclared }: Findings,
): readonly Violation[] => {
  const known = new Set(violations.map(({ place }) => place));
  const others = violationsAt(undeclared, 'is not allowed').filter(({ place }) => !known.has(place));
  return [...violations, ...others];
};

const isPart = (place: Place | undefined): place is Part => place !== undefined && 'holder' in place;

/** Creates a test whether a part is still in its value: a `readOnly` member was removed with all its parts. */
const createIsKept = () => {
  const known = new Map<Part, boolean>();
  return (part: Part): boolean => {
    const path = [part];
    let { parent } = part;
    for (; isPart(parent) && !known.has(parent); parent = parent.parent) path.push(parent);
    let isKept = isPart(parent) ? known.get(parent) === true : true;
    for (const here of path.reverse()) {
      const above = here.parent;
      isKept &&= !isPart(above) || above.holder[above.key] === here.holder;
      known.set(here, isKept);
    }
    return isKept;
  };
};

/** Throws if a decoded value has numbers that were rounded; some are bigints by then. */
const refuseRounded = ({ rounded }: Findings): void => {
  const isKept = createIsKept();
  const left = rounded.filter((part) => typeof part.holder[part.key] === 'number' && isKept(part));
  if (left.length > 0)
    throw schemaMismatch(violationsAt(left, 'must be a number that a double holds exactly'));
};

/** Drops the undeclared members of a decoded value; throws if it has numbers that were rounded. */
export const settleFindings = (found: Findings): void => {
  for (const { holder, key } of found.undeclared) Reflect.deleteProperty(holder, key);
  refuseRounded(found);
};
