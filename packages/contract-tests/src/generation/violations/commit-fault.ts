import type { Oracle } from '../../oracle/oracle.ts';
import type { SchemaObject } from '../../values/schema.ts';
import { type Fault, type Violation, violation } from './violation.ts';

/** What a value of another type breaks too, in whatever way it is chosen. */
const BROKEN_WITH: Readonly<Partial<Record<string, SchemaObject>>> = {
  type: { enum: undefined, format: undefined },
};

/** Makes a function that turns a fault into a violation, which breaks that keyword alone wherever one of the values can. */
export const createCommit = ({ accepts }: Pick<Oracle, 'accepts'>) => {
  /** Kept, because the oracle compiles each schema it gets. */
  const known = new WeakMap<SchemaObject, Map<string, SchemaObject>>();
  const without = (flat: SchemaObject, keyword: keyof SchemaObject): SchemaObject => {
    const made = known.get(flat) ?? new Map<string, SchemaObject>();
    known.set(flat, made);
    const rest = made.get(keyword) ?? { ...flat, ...BROKEN_WITH[keyword], [keyword]: undefined };
    made.set(keyword, rest);
    return rest;
  };

  return (flat: SchemaObject, place: string, { keyword, what, values }: Fault): Violation[] => {
    const wrong = values.filter((value) => !accepts(flat, value));
    if (wrong.length === 0) return [];
    const clean = wrong.find((value) => accepts(without(flat, keyword), value));
    const [first = null] = wrong;
    return clean === undefined
      ? [violation(place, `${what}, and wrong in another way`, first)]
      : [violation(place, what, clean)];
  };
};
