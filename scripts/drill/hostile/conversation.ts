import { type NewPlant, toPlant } from '../../../src/plants/plant.ts';
import { type Case, GOOD_FIELDS, LINE, writeFramed } from './case.ts';
import { makeTooLarge } from './encodings.ts';
import { BROKEN, FRAMED, withBody } from './kinds.ts';
import { makePlant, writePlant } from './plants.ts';
import { createRandom, type Random, seedOf } from './random.ts';

/** What is sent on one connection, all of it at once or in pieces, and how the connection then ends. */
export interface Conversation {
  readonly index: number;
  /** Each of these has exactly one answer. */
  readonly framed: readonly Case[];
  /** What may be broken comes last. */
  readonly last: Case | undefined;
  /** Where the bytes are cut into pieces. */
  readonly cuts: readonly number[];
  /** Closed politely, with everything answered; or reset, in the middle of whatever goes on. */
  readonly ending: 'close' | 'reset';
  /** A plant, among the framed, that must be served and stored to the letter. */
  readonly canary: NewPlant | undefined;
}

const makeCase = (random: Random, kinds: typeof FRAMED | typeof BROKEN): Case => {
  const [kind, make] = random.pick(kinds);
  return { kind, ...make(random) };
};

/** Far from every other id, so that nothing else can have taken it. */
const FIRST_CANARY = 9_100_000_000_000_000n;

const makeCanary = (random: Random, index: number): NewPlant => ({
  ...makePlant(random),
  id: FIRST_CANARY + BigInt(index),
});

const canaryCase = (random: Random, plant: NewPlant): Case => ({
  kind: 'canary',
  bytes: writeFramed(random, { line: LINE, fields: GOOD_FIELDS, body: Buffer.from(writePlant(plant)) }),
  expects: ['served'],
  plant: toPlant(plant),
});

/** The bytes of a conversation, in order. */
export const bytesOf = ({ framed, last }: Pick<Conversation, 'framed' | 'last'>): Buffer =>
  Buffer.concat([...framed, ...(last ? [last] : [])].map(({ bytes }) => bytes));

/** Makes a conversation of at most so many requests: the same for the same seed and index. */
export const makeConversation = (seed: number, index: number, most = 99): Conversation => {
  const random = createRandom(seedOf(seed, index));
  const ending = random.chance(0.03) ? 'reset' : 'close';
  const canary = ending === 'close' && random.chance(0.2) ? makeCanary(random, index) : undefined;
  const framed = Array.from({ length: random.between(0, 9) }, () =>
    random.chance(0.004)
      ? { kind: 'body: too large', ...withBody(makeTooLarge)(random) }
      : makeCase(random, FRAMED),
  );
  if (canary) framed.unshift(canaryCase(random, canary));
  const last = framed.length === 0 || random.chance(0.75) ? makeCase(random, BROKEN) : undefined;
  const { length } = bytesOf({ framed, last });
  const cuts = random.chance(0.2)
    ? Array.from({ length: random.between(1, 8) }, () => random.below(length))
    : [];
  const kept = framed.slice(0, most);
  return {
    index,
    framed: kept,
    last: kept.length < most ? last : undefined,
    cuts: cuts.sort((one, other) => one - other),
    ending,
    canary,
  };
};
