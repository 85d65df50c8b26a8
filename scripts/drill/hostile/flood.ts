import type { NewPlant } from '../../../src/plants/plant.ts';
import { bytesOf, type Conversation, exchange, makeConversation, requestsOf } from './conversation.ts';
import { judge } from './judge.ts';

/** With so many findings, more requests would show nothing new. */
const MAX_FINDINGS = 200;
/** How many findings are kept with their details. */
const MAX_KEPT = 20;
/** How many characters of bytes are shown. */
const MAX_SHOWN = 2000;

/** Bytes as readable text. Of a long one only the two ends. */
const escapeBytes = (bytes: Buffer): string => {
  const text = JSON.stringify(bytes.toString('latin1')).slice(1, -1);
  const visible = text.replace(/[\x7f-\xff]/g, (byte) => `\\u00${byte.charCodeAt(0).toString(16)}`);
  return visible.length > MAX_SHOWN
    ? `${visible.slice(0, MAX_SHOWN / 2)} …${visible.length - MAX_SHOWN} more… ${visible.slice(-MAX_SHOWN / 2)}`
    : visible;
};

/** What a flood sends, and where to. */
export interface FloodOptions {
  readonly port: number;
  readonly seed: number;
  /** How many at a time. A machine that is busy with other work gets refusals (503) from many. */
  readonly connections?: number | undefined;
}

/** Sends conversations on many connections at a time, judges every reply, counts, and keeps the first findings. */
export const createFlood = ({ port, seed, connections = 48 }: FloodOptions) => {
  /** The outcomes of all requests, by kind. */
  const rows = new Map<string, { sent: number; served: number; refused: number; findings: number }>();
  const findings: string[] = [];
  /** Every plant that was answered with 200, by id. */
  const acknowledged = new Map<string, NewPlant>();
  const counts = { conversations: 0, requests: 0, found: 0 };

  const rowOf = (kind: string) => {
    const row = rows.get(kind) ?? { sent: 0, served: 0, refused: 0, findings: 0 };
    rows.set(kind, row);
    return row;
  };
  const add = (...lines: readonly string[]): void => {
    counts.found += 1;
    if (findings.length < MAX_KEPT) findings.push(lines.join('\n'));
  };
  const send = async (conversation: Conversation, index: number): Promise<void> => {
    const received = await exchange(port, conversation);
    for (const { kind } of requestsOf(conversation)) rowOf(kind).sent += 1;
    if (conversation.isReset) return;
    for (const { kind, statuses, flaws, plant } of judge(conversation, received)) {
      const row = rowOf(kind);
      if (plant) acknowledged.set(`${plant.id}`, plant);
      for (const status of statuses) row[status === 200 ? 'served' : 'refused'] += 1;
      row.findings += flaws.length;
      for (const what of flaws)
        add(
          `${kind}: ${what}`,
          `  sent      ${escapeBytes(bytesOf(conversation))}`,
          `  received  ${escapeBytes(received.bytes)}`,
          `  again     npm run drill -- hostile --seed ${seed} --only ${index}`,
        );
    }
  };

  return {
    rows,
    findings,
    acknowledged,
    counts,
    /** Adds what was found otherwise. */
    add,
    /** Sends one conversation. */
    sendOnly: (index: number) => send(makeConversation(seed, index), index),
    /** Sends until there are so many requests, or too many findings. */
    async runUntil(wanted: number, report: (text: string) => void): Promise<void> {
      const work = async (): Promise<void> => {
        while (counts.requests < wanted && counts.found < MAX_FINDINGS) {
          const index = counts.conversations;
          const conversation = makeConversation(seed, index);
          counts.conversations += 1;
          counts.requests += requestsOf(conversation).length;
          await send(conversation, index);
          report(`${counts.requests} of ${wanted} requests, ${counts.found} findings`);
        }
      };
      await Promise.all(Array.from({ length: connections }, work));
    },
  };
};
