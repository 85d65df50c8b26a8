import { fileURLToPath } from 'node:url';
import type { Credentials, Spec } from '../run.ts';
import { type Keeping, SHOP_FILE, SHOP_TOKEN, startShop } from '../state/shop.ts';
import { type OperationId, withKin } from './service/routes.ts';
import { DESK_KEY, startLibrary, TOKEN } from './service/server.ts';
import { STATION, type StationVariant, startStation } from './service/station.ts';
import type { Bug, Variant } from './service/variant.ts';

/** A service to test, and the expected findings. */
export interface Candidate {
  readonly spec: Spec;
  readonly credentials: Credentials;
  readonly start: () => Promise<{ readonly url: string; readonly close: () => Promise<unknown> }>;
  /** How long a reply may take, if not as long as usual. */
  readonly timeoutMs?: number;
  /** The operations that reveal the bug; empty for all. */
  readonly where: readonly string[];
  /** These operations, with all that share their state. */
  readonly kin: readonly string[];
  /** A failure must name one of these operations; empty if the bug concerns no operation. */
  readonly names: readonly string[];
  /** The promise that a failure must be about, if it is about one. */
  readonly promise?: RegExp;
}

const FILE = fileURLToPath(new URL('seeded.yaml', import.meta.url));
/** A library that does something in another way. */
export const library = (variant: Variant & Partial<Pick<Bug, 'names'>>): Candidate => {
  const { names = [], where = names } = variant;
  const kin = withKin(where);
  return {
    spec: FILE,
    credentials: { token: TOKEN, apiKeys: { 'X-Desk-Key': DESK_KEY } },
    start: () => startLibrary(variant),
    where: names.length > 1 ? kin : where,
    kin,
    names,
  };
};

/** The operations about each thing that a shop keeps. */
const SHOP_OPERATIONS = {
  '/things': ['listThings', 'createThing', 'readThing', 'replaceThing', 'patchThing', 'deleteThing'],
  '/things/{thing}/parts': ['createThing', 'listParts', 'createPart', 'readPart'],
  '/books': ['addBook', 'readBook', 'deleteBook'],
  '/labels': ['readLabel', 'putLabel'],
  '/settings': ['readSettings', 'putSettings', 'patchSettings'],
} as const;

/** The data of a shop. */
export type Kept = keyof typeof SHOP_OPERATIONS;

/** A shop that keeps something in a wrong way. */
export const shop = (
  wrong: Partial<Keeping> | (() => Partial<Keeping>),
  kept: Kept,
  promise: RegExp,
): Candidate => ({
  spec: SHOP_FILE,
  credentials: { token: SHOP_TOKEN },
  start: () => startShop(typeof wrong === 'function' ? wrong() : wrong),
  where: SHOP_OPERATIONS[kept],
  kin: SHOP_OPERATIONS[kept],
  names: [],
  promise,
});

/** A station with a deviation, and the expected failure if that is a bug. */
export const station = (variant: StationVariant, operation?: string, promise = /^/): Candidate => {
  const where = operation?.endsWith('Note') ? ['readNote', 'putNote'] : operation ? [operation] : [];
  const start = () => startStation(variant);
  return {
    spec: STATION,
    credentials: {},
    start,
    timeoutMs: 1000,
    where,
    kin: where,
    names: [],
    promise,
  };
};

/** All candidates of one kind, by a phrase after "a service that …". */
export type Candidates = Readonly<Record<string, Candidate>>;

/** Libraries by their deviation. */
export const libraries = (
  variants: Readonly<Record<string, Variant & Partial<Record<'names', readonly OperationId[]>>>>,
): Candidates =>
  Object.fromEntries(Object.entries(variants).map(([name, variant]) => [name, library(variant)]));
