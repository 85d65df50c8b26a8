import { bytesOf, type Conversation } from './conversation.ts';
import type { Received, Verdict } from './judge.ts';

/** Something that should not have happened, with what it takes to see it again. */
export interface Finding {
  readonly what: string;
  readonly kind: string;
  /** Together with the seed this makes the same requests again. */
  readonly conversation?: number;
  readonly sent?: string;
  readonly received?: string;
}

/** A row of the table: what came of all requests of a kind. */
export interface Row {
  sent: number;
  served: number;
  refused: number;
  findings: number;
}

const MOST_KEPT = 20;
const LONGEST = 2000;

/** Bytes as text that can be read and pasted, both ends of it where it is long. */
export const escapeBytes = (bytes: Buffer): string => {
  const text = JSON.stringify(bytes.toString('latin1')).slice(1, -1);
  const visible = text.replace(/[\x7f-\xff]/g, (byte) => `\\u00${byte.charCodeAt(0).toString(16)}`);
  return visible.length > LONGEST
    ? `${visible.slice(0, LONGEST / 2)} …${visible.length - LONGEST} more… ${visible.slice(-LONGEST / 2)}`
    : visible;
};

/** Counts what came of every request, and keeps the first findings. */
export const createTally = () => {
  const rows = new Map<string, Row>();
  const findings: Finding[] = [];
  let found = 0;

  const rowOf = (kind: string): Row => {
    const row = rows.get(kind) ?? { sent: 0, served: 0, refused: 0, findings: 0 };
    rows.set(kind, row);
    return row;
  };
  const find = (finding: Finding): void => {
    found += 1;
    if (findings.length < MOST_KEPT) findings.push(finding);
  };

  return {
    rows,
    findings,
    find,
    /** How many findings there were, kept or not. */
    found: () => found,
    countSent(conversation: Conversation): void {
      for (const { kind } of [...conversation.framed, ...(conversation.last ? [conversation.last] : [])])
        rowOf(kind).sent += 1;
    },
    countVerdict(conversation: Conversation, received: Received, { kind, statuses, flaws }: Verdict): void {
      const row = rowOf(kind);
      for (const status of statuses) row[status === 200 ? 'served' : 'refused'] += 1;
      row.findings += flaws.length;
      for (const what of flaws)
        find({
          what,
          kind,
          conversation: conversation.index,
          sent: escapeBytes(bytesOf(conversation)),
          received: escapeBytes(received.bytes),
        });
    },
  };
};

/** The counts of a flood. */
export type Tally = ReturnType<typeof createTally>;
