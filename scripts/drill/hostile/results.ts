import type { Conversation } from './conversation.ts';
import { requestsOf } from './conversation.ts';
import type { Verdict } from './judge.ts';
import type { Shrunk } from './shrink.ts';

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

const MAX_KEPT = 20;

/** Counts the outcomes of all requests, and keeps the first findings. */
export const createResults = () => {
  const rows = new Map<string, Row>();
  const findings: Finding[] = [];
  let found = 0;

  const rowOf = (kind: string): Row => {
    const row = rows.get(kind) ?? { sent: 0, served: 0, refused: 0, findings: 0 };
    rows.set(kind, row);
    return row;
  };

  return {
    rows,
    findings,
    /** The number of findings, kept or not. */
    found: () => found,
    countSent(conversation: Conversation): void {
      for (const { kind } of requestsOf(conversation)) rowOf(kind).sent += 1;
    },
    countVerdict({ kind, statuses, flaws }: Verdict): void {
      const row = rowOf(kind);
      for (const status of statuses) row[status === 200 ? 'served' : 'refused'] += 1;
      row.findings += flaws.length;
    },
    /** Counts a finding. The details are only asked for if it is kept. */
    async add(what: string, kind: string, describe: () => Promise<Partial<Finding>> = async () => ({})) {
      found += 1;
      if (findings.length >= MAX_KEPT) return;
      const place = findings.push({ what, kind }) - 1;
      findings[place] = { what, kind, ...(await describe()) };
    },
  };
};

/** The results of a drill so far. */
export type Results = ReturnType<typeof createResults>;
