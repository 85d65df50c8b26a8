import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../random.ts';
import { type Clients, type Ledger, startClients } from './clients.ts';
import type { Fault, Scene } from './faults.ts';
import { type Damage, findDamage } from './stores.ts';

/** How a drill is run. */
export interface DrillOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly clients?: number;
  /** Is told of every round. */
  readonly report: (text: string) => void;
}

/** What a drill of one fault has shown. */
export interface DrillResult extends Damage {
  readonly fault: Fault;
  readonly rounds: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unanswered: number;
  /** Sent on kept connections that were closed before the request got there: no promise is broken by those. */
  readonly tooLate: number;
  readonly wrong: readonly string[];
  /** Seconds from the beginning of each repair to the next 200, in order of length. */
  readonly recoveries: readonly number[];
}

/** The whole store is held against the whole ledger now and then, and at the end: each time costs more. */
const COMPARE_EVERY = 10;
const CALM = 200;

const runRound = async (scene: Scene, clients: Clients): Promise<number> => {
  await clients.acknowledgements(CALM);
  await scene.strike(clients.nextRefusal);
  const begun = performance.now();
  const next = clients.nextAcknowledgement();
  await scene.mend();
  const recovered = await next;
  await clients.acknowledgements(CALM);
  return (recovered - begun) / 1000;
};

/** What was acknowledged before the store is read must be in what is read; the clients need not pause for that. */
const compare = async (scene: Scene, ledger: Ledger): Promise<Damage> => {
  const acknowledged = new Map(ledger.acknowledged);
  return findDamage(acknowledged, await scene.read());
};

const isWhole = ({ lost, altered, twice }: Damage): boolean => lost + altered + twice === 0;

/** Drills one fault under load, round after round, and stops early where damage is found. */
export const drill = async (fault: Fault, options: DrillOptions): Promise<DrillResult> => {
  const { rounds, seed, clients: count = fault.clients ?? 16, report } = options;
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-drill-'));
  const ledger: Ledger = { acknowledged: new Map(), refused: 0, unanswered: 0, tooLate: 0, wrong: [] };
  const recoveries: number[] = [];
  let damage: Damage = { lost: 0, altered: 0, twice: 0 };
  const scene = await fault.set(folder);
  try {
    const clients = startClients({ count, random: createRandom(seed), targets: scene.targets, ledger });
    while (recoveries.length < rounds && isWhole(damage) && ledger.wrong.length === 0) {
      recoveries.push(await runRound(scene, clients));
      if (recoveries.length % COMPARE_EVERY === 0) damage = await compare(scene, ledger);
      report(
        `${fault.title}: round ${recoveries.length} of ${rounds}, ${ledger.acknowledged.size} acknowledged`,
      );
    }
    await clients.stop();
    damage = await compare(scene, ledger);
  } finally {
    await scene.end();
    await rm(folder, { recursive: true, force: true });
  }
  const { refused, unanswered, tooLate, wrong } = ledger;
  return {
    fault,
    rounds: recoveries.length,
    acknowledged: ledger.acknowledged.size,
    ...damage,
    refused,
    unanswered,
    tooLate,
    wrong,
    recoveries: recoveries.toSorted((one, other) => one - other),
  };
};

/** Whether a drill has shown that a promise was broken. */
export const isBroken = (result: DrillResult): boolean =>
  !isWhole(result) || result.wrong.length > 0 || (result.unanswered > 0 && !result.fault.mayDrop);
