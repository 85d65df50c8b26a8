import {
  getOrInsert,
  isTree,
  once,
  oncePerKey,
  ownMember,
  pointerTo,
  valueAt,
} from '@trellis/openapi/internal/json';
import {
  BRANCHES,
  type Direction,
  type Discriminated,
  discriminatedAt,
  isLeftOut,
  placesOf,
  type Subtypes,
  subtypesAt,
} from '@trellis/openapi/internal/schema';
import { patternsAt } from '../validation/evaluation.ts';
import { createFreeForm } from './free-form.ts';

/** The parts that schemas declare in a value, each with the step for it. */
export interface Declared<Step> {
  /** The pointers of the schemas. */
  readonly pointers: readonly string[];
  /** By name; a member that values do not have in this direction has no step. */
  readonly members: ReadonlyMap<string, Step | undefined>;
  /** Finds the step of a member of another name; `undefined` if it is not declared. */
  readonly otherOf: ((name: string) => Step | undefined) | undefined;
  readonly itemOf: (index: number) => Step;
  /** Whether a schema declares a type for the numbers of the value: by `type`, or by constants. */
  readonly hasNumbers: () => boolean;
}

/** Makes steps. A step processes the values of some schemas; for example, it encodes them. */
export interface StepMaker<Step> {
  /** The step of a value that no schema describes. */
  readonly any: Step;
  /** Makes a step that is compiled for its first value: schemas may be recursive. */
  readonly later: (compile: () => Step) => Step;
  /** Makes a step that takes the step which the value of one member selects. */
  readonly select: (property: string, stepOf: (tag: unknown) => Step) => Step;
  readonly make: (declared: Declared<Step>) => Step;
}

/** Whether a keyword allows members that are not declared. */
const isOpening = (value: unknown): boolean => value === true || isTree(value);

/** A condition may declare members, too. */
const APPLICABLE: readonly string[] = [...BRANCHES, 'if'];

const isText = (value: unknown): value is string => typeof value === 'string';

/** The schemas that apply to a value. */
interface Applied {
  readonly pointers: readonly string[];
  readonly isFree: boolean;
  /** The branches that a discriminator has not named, in the unions that are decided. */
  readonly unnamed: ReadonlySet<string>;
  readonly decided: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Finds the schemas of a part of a value, below one schema of the value. */
type SchemasAt = (place: string) => readonly string[];

/** Whether a schema declares a type for the numbers of its values. */
const describesNumbers = (schema: unknown): boolean =>
  [ownMember(schema, 'type')].flat().some((type) => type === 'number' || type === 'integer') ||
  ['const', 'enum'].some((keyword) => ownMember(schema, keyword) !== undefined);

/** The names of members that a schema requires, even if it does not describe them. */
const askedFor = (schema: unknown): string[] => [
  ...[ownMember(schema, 'required')].flat().filter(isText),
  ...Object.entries(ownMember(schema, 'dependentRequired') ?? {})
    .flat(2)
    .filter(isText),
  ...Object.keys(ownMember(schema, 'dependentSchemas') ?? {}),
  ...[ownMember(ownMember(schema, 'discriminator'), 'propertyName')].filter(isText),
];

/**
 * Compiles a step for the values of a schema. Declared are the members that any schema of the value declares by name or
 * pattern. Other members are declared only if a schema allows them by `additionalProperties`, or if no schema declares any
 * and none forbids them.
 */
export const createSteps = <Step>(document: unknown, direction: Direction, maker: StepMaker<Step>) => {
  const compiled = new Map<string, Step>();
  const { isFreeForm, isFreePart } = createFreeForm(document);

  /**
   * Several schemas may apply to one value: all parts of an `allOf`, all branches of a union, or the branch that a
   * discriminator names. `isFree` allows the value any other members.
   */
  const compile = (pointers: readonly string[], isFree = false): Step =>
    pointers.length === 0
      ? maker.any
      : getOrInsert(compiled, `${isFree} ${pointers.join(' ')}`, () =>
          maker.later(once(() => compileWithout({ pointers, isFree, unnamed: NONE, decided: NONE }))),
        );

  const placesIn = ({ pointers, unnamed }: Applied): string[] => [
    ...new Set(pointers.flatMap((at) => placesOf(document, at, APPLICABLE, new Set(unnamed)))),
  ];

  const compileWithout = (applied: Applied): Step => {
    const places = placesIn(applied);
    for (const at of places) {
      if (applied.decided.has(at)) continue;
      const union = discriminatedAt(document, at);
      if (union) return compileUnion(at, union, applied);
      const subtypes = subtypesAt(document, at);
      if (subtypes) return compileSubtypes(at, subtypes, applied);
    }
    return maker.make(declaredIn(places, applied));
  };

  /** A value that names no branch goes by all of them together. */
  const compileUnion = (at: string, { property, branches }: Discriminated, applied: Applied): Step => {
    const compileBut = (others: readonly string[]): Step =>
      compileWithout({
        ...applied,
        unnamed: new Set([...applied.unnamed, ...others]),
        decided: new Set([...applied.decided, at]),
      });
    const all = once(() => compileBut([]));
    const named = new Map(
      [...branches].map(([tag, branch]) => [
        tag,
        once(() => compileBut([...branches.values()].filter((other) => other !== branch))),
      ]),
    );
    return maker.select(property, (tag) => ((typeof tag === 'string' && named.get(tag)) || all)());
  };

  /**
   * The schemas of a subtype apply beside the schemas of its base. A reply that names neither goes by all subtypes together; a
   * request is validated by none of them then.
   */
  const compileSubtypes = (at: string, { property, named, all }: Subtypes, applied: Applied): Step => {
    const compileWith = (subtypes: Iterable<string>): Step =>
      compileWithout({
        ...applied,
        pointers: [...new Set([...applied.pointers, ...subtypes])],
        isFree: applied.isFree || isFreeForm(applied.pointers, applied.unnamed),
        decided: new Set([...applied.decided, at]),
      });
    const other = once(() => compileWith(direction === 'reply' ? all : []));
    const steps = new Map([...named].map(([tag, subtypes]) => [tag, once(() => compileWith(subtypes))]));
    return maker.select(property, (tag) => ((typeof tag === 'string' && steps.get(tag)) || other)());
  };

  const under = (place: string, ...steps: readonly string[]): string[] => {
    const at = place + pointerTo(...steps);
    return valueAt(document, at) === undefined ? [] : [at];
  };
  const opens = (at: string): boolean => isOpening(valueAt(document, at));
  const openingAt = oncePerKey((at: string): string[] => (opens(at) ? [at] : []));
  /** The members that a schema itself declares. */
  const membersAt = oncePerKey((place: string) => ({
    properties: Object(ownMember(valueAt(document, place), 'properties')),
    patterns: patternsAt(document, place),
    additional: openingAt(`${place}/additionalProperties`),
  }));
  const matching = (place: string, name: string): string[] =>
    membersAt(place).patterns.flatMap(({ pattern, at }) => (pattern.test(name) ? [at] : []));

  /** Merges the declarations of the schemas at these places. */
  const declaredIn = (places: readonly string[], { pointers, isFree, unnamed }: Applied): Declared<Step> => {
    const allUnder = (...steps: readonly string[]): string[] =>
      places.flatMap((place) => under(place, ...steps));
    const keysUnder = (keyword: string): string[] => [
      ...new Set(allUnder(keyword).flatMap((at) => Object.keys(valueAt(document, at) ?? {}))),
    ];
    /**
     * Finds the schemas for a part below one schema, or its `unevaluated…` if no schema of the same value describes the
     * part.
     */
    const partAt = (keyword: string, described: SchemasAt) => (place: string) => {
      const own = described(place);
      const rest = own.length > 0 ? [] : openingAt(`${place}/${keyword}`);
      if (rest.length === 0) return own;
      const beside = placesOf(document, place, APPLICABLE, new Set(unnamed));
      return beside.some((each) => described(each).length > 0) ? [] : rest;
    };
    /**
     * Compiles a part of the value. `at` finds the schemas for it below one schema; `perhaps` are schemas that may
     * apply, too.
     */
    const compilePart = (whole: 'object' | 'array', at: SchemasAt, perhaps: readonly string[] = []): Step => {
      const schemas = places.flatMap(at);
      const isFreeHere = schemas.length + perhaps.length > 1 && isFreePart(whole, pointers, at, unnamed);
      return compile(schemas.length === 0 || isFreeHere ? schemas : [...schemas, ...perhaps], isFreeHere);
    };

    const hasPatterns = places.some((place) => membersAt(place).patterns.length > 0);
    /**
     * The schemas for a member below one schema (JSON Schema 2020-12, section 10.3.2); `undefined` for unnamed members.
     */
    const memberAt = (name: string | undefined): SchemasAt =>
      partAt('unevaluatedProperties', (place) => {
        const { properties, additional } = membersAt(place);
        if (name === undefined) return additional;
        const named = Object.hasOwn(properties, name) ? [place + pointerTo('properties', name)] : [];
        const own = [...named, ...matching(place, name)];
        return own.length > 0 ? own : additional;
      });
    const known = new Map<string, Step | undefined>();
    /** Returns `undefined` if values do not have the member. Members with the same schemas share a compiled step. */
    const stepOf = (name: string | undefined): Step | undefined => {
      const schemas = places.flatMap(memberAt(name));
      const key = schemas.join(' ');
      if (!known.has(key)) {
        const isHidden = direction === 'reply' && schemas.some((at) => isLeftOut(document, at, direction));
        known.set(key, isHidden ? undefined : compilePart('object', memberAt(name)));
      }
      return known.get(key);
    };
    const named = new Set([
      ...keysUnder('properties'),
      ...places.flatMap((place) => askedFor(valueAt(document, place))),
    ]);

    const isOpen =
      isFree ||
      isFreeForm(pointers, unnamed) ||
      [...allUnder('unevaluatedProperties'), ...allUnder('additionalProperties')].some(opens);
    const unnamedStep = isOpen ? stepOf(undefined) : undefined;
    const otherOf = (name: string): Step | undefined =>
      hasPatterns && places.some((place) => matching(place, name).length > 0) ? stepOf(name) : unnamedStep;

    /** The schemas for an item below one schema (JSON Schema 2020-12, section 10.3.1). */
    const itemAt = (index: string): SchemasAt =>
      partAt('unevaluatedItems', (place) => {
        const own = under(place, 'prefixItems', index);
        return own.length > 0 ? own : under(place, 'items');
      });
    const compileItem = (index: string): Step => compilePart('array', itemAt(index), allUnder('contains'));
    const items = keysUnder('prefixItems').map(compileItem);
    const rest = compileItem(`${items.length}`);

    return {
      pointers,
      members: new Map([...named].map((name) => [name, stepOf(name)])),
      otherOf: isOpen || hasPatterns ? otherOf : undefined,
      itemOf: (index) => items[index] ?? rest,
      hasNumbers: once(() => places.some((at) => describesNumbers(valueAt(document, at)))),
    };
  };

  return (pointer: string): Step => compile([pointer]);
};
