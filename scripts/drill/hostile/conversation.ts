import fc from 'fast-check';
import type { NewPlant } from '../../../src/plants/plant.ts';
import { BROKEN, FRAMED } from './kinds.ts';
import {
  create,
  fractions,
  framed,
  type HostileRequest,
  mostly,
  plantsWith,
  type Requests,
} from './request.ts';

/** The requests that are sent on one connection, and how the connection then ends. */
export interface Conversation {
  /** Each of these gets exactly one reply. */
  readonly framed: readonly HostileRequest[];
  /** A request that may be broken in any way, so nothing can follow it. */
  readonly last: HostileRequest | undefined;
  /** Where the bytes are split into separate writes. */
  readonly cuts: readonly number[];
  /** Closed after every reply, or reset at any moment. */
  readonly ending: 'close' | 'reset';
  /** A plant among the framed requests that must be created and stored exactly. */
  readonly canary: NewPlant | undefined;
}

/** How often kinds are sent, if not as often as the others. */
const WEIGHTS: Readonly<Record<string, number>> = { 'broken: bytes': 2 };

const anyOf = (kinds: Readonly<Record<string, Requests>>): fc.Arbitrary<HostileRequest> =>
  fc.oneof(
    ...Object.entries(kinds).map(([kind, requests]) => ({
      weight: WEIGHTS[kind] ?? 1,
      arbitrary: requests.map((request): HostileRequest => ({ kind, ...request })),
    })),
  );

const framedRequests = anyOf(
  Object.fromEntries(Object.entries(FRAMED).map(([kind, drafts]) => [kind, framed(drafts)])),
);
const brokenRequests = anyOf(BROKEN);

/** Ids that no other request uses, and that never occur twice. */
const canaryIds = fc.bigInt({ min: 2n ** 62n, max: 2n ** 62n + 2n ** 61n });

/** Not shrunk: a smaller plant with the same id would be refused, and rightly. */
const canaries = fc.noShrink(
  plantsWith(canaryIds).chain((plant) =>
    framed(fc.constant({ ...create(plant), expects: [200] })).map((request) => ({
      plant,
      request: { kind: 'canary', ...request },
    })),
  ),
);

/** The requests of a conversation in order. */
export const requestsOf = ({ framed, last }: Pick<Conversation, 'framed' | 'last'>): HostileRequest[] =>
  last ? [...framed, last] : [...framed];

/** The bytes of a conversation in order. */
export const bytesOf = (conversation: Pick<Conversation, 'framed' | 'last'>): Buffer =>
  Buffer.concat(requestsOf(conversation).map(({ bytes }) => bytes));

/** Conversations of up to eleven requests. */
export const conversations: fc.Arbitrary<Conversation> = fc
  .record({
    ending: mostly('close' as const, 32, fc.constant('reset' as const)),
    canary: mostly(undefined, 4, canaries),
    others: fc.array(framedRequests, { maxLength: 9 }),
    last: fc.option(brokenRequests, { freq: 4, nil: undefined }),
    cuts: mostly<number[], number[]>([], 4, fc.array(fractions, { minLength: 1, maxLength: 8 })),
  })
  .map(({ ending, canary, others, last, cuts }): Conversation => {
    const sent = ending === 'close' ? canary : undefined;
    const framed = sent ? [sent.request, ...others] : others;
    const { length } = bytesOf({ framed, last });
    return {
      framed,
      last,
      cuts: cuts.map((fraction) => Math.floor(fraction * length)).sort((one, other) => one - other),
      ending,
      canary: sent?.plant,
    };
  })
  .filter((conversation) => requestsOf(conversation).length > 0);

/** Makes fast-check generate a certain conversation: the same for the same seed and index. */
export const runOf = (seed: number, index: number) => ({
  seed: Math.imul(index + 1, 0x9e3779b1) ^ seed,
  numRuns: 1,
  unbiased: true,
});

/** Generates a conversation, cut off after so many requests. */
export const makeConversation = (seed: number, index: number, max = Infinity): Conversation => {
  const [conversation] = fc.sample(conversations, runOf(seed, index));
  if (!conversation) throw new Error('fast-check generated no conversation');
  const framed = conversation.framed.slice(0, max);
  return { ...conversation, framed, last: framed.length < max ? conversation.last : undefined };
};
