import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { createRandom } from '../random.ts';
import { type Clients, type Ledger, startClients } from './clients.ts';
import { type Damage, findDamage } from './damage.ts';
import type { Fault, Scene } from './faults.ts';

/** How the drill runs. */
export interface DrillOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly clients?: number;
  /** Called after every round. */
  readonly report: (text: string) => void;
}

/** The result of drilling one fault. */
export interface DrillResult extends Damage {
  readonly fault: Fault;
  readonly rounds: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unanswered: number;
  /** Requests on kept connections that the service had closed before they arrived. They break no promise. */
  readonly tooLate: number;
  readonly wrong: readonly string[];
  /** Seconds from the start of each repair to the next 200, sorted. */
  readonly recoveries: readonly number[];
}

/** The store is compared every so many rounds, and at the end: each time costs more. */
const COMPARE_EVERY = 10;
/** How many plants are created before and after the fault in each round. */
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

/** Whatever was acknowledged before the read must be in the store. So the clients need not pause. */
const compare = async (scene: Scene, ledger: Ledger): Promise<Damage> => {
  const acknowledged = new Map(ledger.acknowledged);
  return findDamage(acknowledged, await scene.read());
};

const isWhole = ({ lost, altered, twice }: Damage): boolean => lost + altered + twice === 0;

const drillIn = async (folder: string, fault: Fault, options: DrillOptions): Promise<DrillResult> => {
  const { rounds, seed, clients: count = fault.clients ?? 16, report } = options;
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

/** Drills one fault under load, round after round. Stops at the first damage. */
export const drill = (fault: Fault, options: DrillOptions): Promise<DrillResult> =>
  inTemporaryFolder('plant-store-drill', (folder) => drillIn(folder, fault, options));

/** Whether a drill found a broken promise. */
export const isBroken = (result: DrillResult): boolean =>
  !isWhole(result) || result.wrong.length > 0 || (result.unanswered > 0 && !result.fault.mayDrop);
