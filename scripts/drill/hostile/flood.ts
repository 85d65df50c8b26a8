import type { NewPlant } from '../../../src/plants/plant.ts';
import { bytesOf, type Conversation, makeConversation, requestsOf } from './conversation.ts';
import { exchange } from './exchange.ts';
import { judge, type Received } from './judge.ts';
import { escapeBytes, type Shrunk, shrink } from './shrink.ts';

/** Something that should not have happened, and what it takes to reproduce it. */
export interface Finding {
  readonly what: string;
  readonly kind: string;
  /** The index of the conversation. Together with the seed it generates the same requests again. */
  readonly conversation?: number;
  readonly sent?: string;
  readonly received?: string;
  /** The smallest conversation that shows the same, if it could be reproduced. */
  readonly shrunk?: Shrunk | undefined;
}

/** A row of the table: the outcomes of all requests of a kind. */
export interface Row {
  sent: number;
  served: number;
  refused: number;
  findings: number;
}

/** What a flood sends, where to, and who learns about it. */
export interface FloodOptions {
  readonly port: number;
  readonly seed: number;
  /** How many requests in total. */
  readonly requests: number;
  /** How many at a time. A machine that is busy with other work gets refusals (503) from many. */
  readonly connections?: number | undefined;
  readonly report?: (text: string) => void;
}

/** With so many findings, more requests would show nothing new. */
const MAX_FINDINGS = 200;
/** How many findings are kept with their details. */
const MAX_KEPT = 20;

/** Sends hostile requests on many connections at a time, judges every reply, counts, and keeps the first findings. */
export const createFlood = ({ port, seed, requests, connections = 48, report }: FloodOptions) => {
  const rows = new Map<string, Row>();
  const findings: Finding[] = [];
  const canaries: NewPlant[] = [];
  const shrunkAlready = new Set<string>();
  const started = Date.now();
  let [found, conversations, begun, done] = [0, 0, 0, 0];

  const rowOf = (kind: string): Row => {
    const row = rows.get(kind) ?? { sent: 0, served: 0, refused: 0, findings: 0 };
    rows.set(kind, row);
    return row;
  };

  /** Counts a finding. The details are only asked for if it is kept. */
  const add = async (what: string, kind: string, describe?: () => Promise<Partial<Finding>>) => {
    found += 1;
    if (findings.length >= MAX_KEPT) return;
    const place = findings.push({ what, kind }) - 1;
    findings[place] = { what, kind, ...(await describe?.()) };
  };

  /** Shrinks the first finding of a sort; others of that sort would shrink to the same. */
  const shrinkOnce = async (index: number, what: string, kind: string) => {
    const sort = `${kind}: ${what}`;
    if (shrunkAlready.has(sort)) return undefined;
    shrunkAlready.add(sort);
    return await shrink(port, { seed, index }, { what, kind });
  };

  const judgeAll = async (index: number, conversation: Conversation, received: Received): Promise<void> => {
    for (const { kind, statuses, flaws } of judge(conversation, received)) {
      const row = rowOf(kind);
      for (const status of statuses) row[status === 200 ? 'served' : 'refused'] += 1;
      row.findings += flaws.length;
      for (const what of flaws)
        await add(what, kind, async () => ({
          conversation: index,
          sent: escapeBytes(bytesOf(conversation)),
          received: escapeBytes(received.bytes),
          shrunk: await shrinkOnce(index, what, kind),
        }));
    }
  };

  const work = async (until: number): Promise<void> => {
    while (begun < until && found < MAX_FINDINGS) {
      const index = conversations;
      const conversation = makeConversation(seed, index, requests - begun);
      const sent = requestsOf(conversation);
      conversations += 1;
      begun += sent.length;
      const received = await exchange(port, conversation);
      for (const { kind } of sent) rowOf(kind).sent += 1;
      if (conversation.ending === 'close') await judgeAll(index, conversation, received);
      if (conversation.canary) canaries.push(conversation.canary);
      done += sent.length;
      const rate = Math.round((done / (Date.now() - started)) * 1000);
      report?.(`${done} of ${requests} requests, ${rate}/s, ${found} findings`);
    }
  };

  return {
    rows,
    findings,
    /** Plants that must be stored exactly. */
    canaries,
    add,
    /** The number of findings, kept or not. */
    found: () => found,
    conversations: () => conversations,
    requests: () => done,
    /** Sends requests until there are so many, or too many findings. */
    async runUntil(count: number): Promise<void> {
      await Promise.all(Array.from({ length: connections }, () => work(count)));
    },
  };
};
