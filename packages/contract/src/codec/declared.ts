import { getOrInsert, once, ownMember, valueAt } from '@trellis/openapi/internal/json';
import {
  type Direction,
  type Discriminated,
  discriminatedAt,
  isLeftOut,
  type Subtypes,
  subtypesAt,
} from '@trellis/openapi/internal/schema';
import { allows, createFreeForm } from './free-form.ts';
import {
  createMemberSchemas,
  describesNumbers,
  listsTrees,
  namesIn,
  placesIn,
  type SchemasAt,
  schemaUnder,
} from './member-schemas.ts';

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
  /** Whether a schema lists whole lists or objects as constants. */
  readonly hasTrees: () => boolean;
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

/** The schemas that apply to a value. */
interface Applied {
  readonly pointers: readonly string[];
  /** Whether the value may have any other members. */
  readonly isFree: boolean;
  /** The branches that a discriminator has not named, in the unions that are decided. */
  readonly excluded: ReadonlySet<string>;
  readonly decided: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** The parts of a compiler, and its results by schema. */
interface Compilation<Step> {
  readonly document: unknown;
  readonly direction: Direction;
  readonly maker: StepMaker<Step>;
  readonly freeForm: ReturnType<typeof createFreeForm>;
  readonly schemas: ReturnType<typeof createMemberSchemas>;
  readonly compiled: Map<string, Step>;
}

/**
 * Several schemas may apply to one value: all parts of an `allOf`, all branches of a union, or the branch that a
 * discriminator names.
 */
const compile = <Step>(compilation: Compilation<Step>, pointers: readonly string[], isFree = false): Step => {
  const { maker, compiled } = compilation;
  if (pointers.length === 0) return maker.any;
  return getOrInsert(compiled, `${isFree} ${pointers.join(' ')}`, () =>
    maker.later(() => compileApplied(compilation, { pointers, isFree, excluded: NONE, decided: NONE })),
  );
};

const compileApplied = <Step>(compilation: Compilation<Step>, applied: Applied): Step => {
  const { document, maker } = compilation;
  const places = placesIn(document, applied.pointers, applied.excluded);
  for (const at of places) {
    if (applied.decided.has(at)) continue;
    const decided = { ...applied, decided: new Set([...applied.decided, at]) };
    const union = discriminatedAt(document, at);
    if (union) return compileUnion(compilation, union, decided);
    const subtypes = subtypesAt(document, at);
    if (subtypes) return compileSubtypes(compilation, subtypes, decided);
  }
  return maker.make(declaredIn(compilation, places, applied));
};

/** Compiles a step for each value of a discriminator, and one for all other values. */
const compileTags = <Step, Value>(
  { maker }: Compilation<Step>,
  property: string,
  tagged: ReadonlyMap<string, Value>,
  compileFor: (value: Value | undefined) => Step,
): Step => {
  const other = once(() => compileFor(undefined));
  const steps = new Map([...tagged].map(([tag, value]) => [tag, once(() => compileFor(value))]));
  return maker.select(property, (tag) => ((typeof tag === 'string' && steps.get(tag)) || other)());
};

/** A value that names no branch goes by all of them together. */
const compileUnion = <Step>(
  compilation: Compilation<Step>,
  { property, branches }: Discriminated,
  applied: Applied,
): Step =>
  compileTags(compilation, property, branches, (branch) => {
    const others = branch === undefined ? [] : [...branches.values()].filter((other) => other !== branch);
    return compileApplied(compilation, { ...applied, excluded: new Set([...applied.excluded, ...others]) });
  });

/**
 * The schemas of a subtype apply beside the schemas of its base. A reply that names neither goes by all subtypes together; a
 * request is validated by none of them then.
 */
const compileSubtypes = <Step>(
  compilation: Compilation<Step>,
  { property, named, all }: Subtypes,
  applied: Applied,
): Step => {
  const { pointers, excluded } = applied;
  const others = compilation.direction === 'reply' ? all : [];
  return compileTags(compilation, property, named, (subtypes = others) =>
    compileApplied(compilation, {
      ...applied,
      pointers: [...new Set([...pointers, ...subtypes])],
      isFree: applied.isFree || compilation.freeForm.isFreeForm(pointers, excluded),
    }),
  );
};

/**
 * Compiles a part of a value. `at` finds the schemas for it below one schema; `perhaps` are schemas that may apply, too.
 */
const compilePart = <Step>(
  compilation: Compilation<Step>,
  places: readonly string[],
  { pointers, excluded }: Applied,
  part: { readonly whole: 'object' | 'array'; readonly at: SchemasAt; readonly perhaps?: readonly string[] },
): Step => {
  const { whole, at, perhaps = [] } = part;
  const schemas = places.flatMap(at);
  const isFree =
    schemas.length + perhaps.length > 1 && compilation.freeForm.isFreePart(whole, pointers, at, excluded);
  return compile(compilation, schemas.length === 0 || isFree ? schemas : [...schemas, ...perhaps], isFree);
};

/** Merges the declarations of members in the schemas at these places. */
const declaredMembers = <Step>(
  compilation: Compilation<Step>,
  places: readonly string[],
  applied: Applied,
): Pick<Declared<Step>, 'members' | 'otherOf'> => {
  const { document, direction, schemas, freeForm } = compilation;
  const known = new Map<string, Step | undefined>();
  /** Returns `undefined` if values do not have the member. Members with the same schemas share a compiled step. */
  const stepOf = (name: string | undefined): Step | undefined => {
    const at = schemas.membersAt(name, applied.excluded);
    const own = places.flatMap(at);
    const key = own.join(' ');
    if (!known.has(key)) {
      const isHidden = direction === 'reply' && own.some((each) => isLeftOut(document, each, direction));
      const step = isHidden ? undefined : compilePart(compilation, places, applied, { whole: 'object', at });
      known.set(key, step);
    }
    return known.get(key);
  };
  const isOpen =
    applied.isFree ||
    freeForm.isFreeForm(applied.pointers, applied.excluded) ||
    places.some(schemas.isOpenAt) ||
    !places.some((at) => allows(valueAt(document, at), 'object')); // a branch that does not describe it has accepted it
  const hasPatterns = places.some(schemas.hasPatterns);
  const otherStep = isOpen ? stepOf(undefined) : undefined;
  const otherOf = (name: string): Step | undefined =>
    hasPatterns && places.some((place) => schemas.isMatched(place, name)) ? stepOf(name) : otherStep;
  return {
    members: new Map([...namesIn(document, places)].map((name) => [name, stepOf(name)])),
    otherOf: isOpen || hasPatterns ? otherOf : undefined,
  };
};

/** Merges the declarations of the schemas at these places. */
const declaredIn = <Step>(
  compilation: Compilation<Step>,
  places: readonly string[],
  applied: Applied,
): Declared<Step> => {
  const { document, schemas } = compilation;
  const perhaps = places.flatMap((place) => schemaUnder(document, place, 'contains'));
  const compileItem = (index: string): Step => {
    const at = schemas.itemsAt(index, applied.excluded);
    return compilePart(compilation, places, applied, { whole: 'array', at, perhaps });
  };
  const tuples = places.map((place) => ownMember(valueAt(document, place), 'prefixItems'));
  const length = Math.max(0, ...tuples.map((tuple) => (Array.isArray(tuple) ? tuple.length : 0)));
  const items = Array.from({ length }, (_, index) => compileItem(`${index}`));
  const rest = compileItem(`${length}`);
  return {
    pointers: applied.pointers,
    ...declaredMembers(compilation, places, applied),
    itemOf: (index) => items[index] ?? rest,
    hasNumbers: once(() => places.some((at) => describesNumbers(valueAt(document, at)))),
    hasTrees: once(() => places.some((at) => listsTrees(valueAt(document, at)))),
  };
};

/**
 * Compiles a step for the values of a schema. Declared are the members that any schema of the value declares by name or
 * pattern. Other members are declared only if a schema allows them by `additionalProperties`, or if no schema declares any
 * and none forbids them.
 */
export const createSteps = <Step>(document: unknown, direction: Direction, maker: StepMaker<Step>) => {
  const freeForm = createFreeForm(document);
  const schemas = createMemberSchemas(document);
  const compilation = { document, direction, maker, freeForm, schemas, compiled: new Map<string, Step>() };
  return (pointer: string): Step => compile(compilation, [pointer]);
};
