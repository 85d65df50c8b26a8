import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import type { Report } from '../report.ts';
import { type Clients, type SentPlant, startClients } from './clients.ts';
import type { Fault, Scene } from './scene.ts';
import type { StoredPlant } from './stored-plants.ts';

/** How a store differs from what was acknowledged. */
export interface Damage {
  readonly lost: number;
  readonly altered: number;
  readonly twice: number;
}

/** Looks up every acknowledged plant in the store. A plant that was stored but never acknowledged is no damage. */
export const findDamage = (
  acknowledged: ReadonlyMap<string, SentPlant>,
  stored: readonly StoredPlant[],
): Damage => {
  const byId = new Map(stored.map((plant) => [plant.id, plant]));
  const pairs = [...acknowledged.values()].map((sent) => ({ sent, plant: byId.get(sent.id) }));
  return {
    lost: pairs.filter(({ plant }) => !plant).length,
    altered: pairs.filter(({ sent, plant }) => plant && (plant.name !== sent.name || plant.tag !== sent.tag))
      .length,
    twice: stored.length - byId.size,
  };
};

/** How the drill runs. */
export interface DrillOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Called after every round. */
  readonly report: (text: string) => void;
}

/** The store is compared every so many rounds, and at the end: each time costs more. */
const COMPARE_EVERY = 10;
/** How many plants are created before and after the fault in each round. */
const CALM = 200;

const runRound = async (
  { isRefused }: Fault,
  scene: Scene,
  { acknowledgements, refusal }: Clients,
): Promise<number> => {
  await acknowledgements(CALM);
  await scene.strike();
  if (isRefused) await refusal();
  const begun = performance.now();
  const recovered = acknowledgements(1).then(() => performance.now());
  await scene.mend();
  const seconds = ((await recovered) - begun) / 1000;
  await acknowledgements(CALM);
  return seconds;
};

/** Whatever was acknowledged before the read must be in the store. So the clients need not pause. */
const compare = async (scene: Scene, clients: Clients): Promise<Damage> => {
  const acknowledged = new Map(clients.acknowledged);
  return findDamage(acknowledged, await scene.read());
};

const isWhole = ({ lost, altered, twice }: Damage): boolean => lost + altered + twice === 0;

/** Drills one fault under load, round after round. Stops at the first damage. */
export const drill = (fault: Fault, { rounds, seed, report }: DrillOptions) =>
  inTemporaryFolder('plant-store-drill', async (folder) => {
    const recoveries: number[] = [];
    let damage: Damage = { lost: 0, altered: 0, twice: 0 };
    const scene = await fault.set(folder, seed);
    try {
      const clients = startClients(fault.clients ?? 16, seed, scene.targets);
      const { acknowledged, counts, wrong } = clients;
      while (recoveries.length < rounds && isWhole(damage) && wrong.length === 0) {
        recoveries.push(await runRound(fault, scene, clients));
        if (recoveries.length % COMPARE_EVERY === 0) damage = await compare(scene, clients);
        report(`${fault.title}: round ${recoveries.length} of ${rounds}, ${acknowledged.size} acknowledged`);
      }
      await clients.stop();
      return {
        fault,
        rounds: recoveries.length,
        acknowledged: acknowledged.size,
        ...(await compare(scene, clients)),
        ...counts,
        wrong,
        /** Seconds from the start of each repair to the next 200, sorted. */
        recoveries: recoveries.toSorted((one, other) => one - other),
      };
    } finally {
      await scene.end();
    }
  });

/** The result of drilling one fault. */
export type DrillResult = Awaited<ReturnType<typeof drill>>;

/** Whether a drill found a broken promise. */
export const isBroken = (result: DrillResult): boolean =>
  !isWhole(result) || result.wrong.length > 0 || (result.unanswered > 0 && !result.fault.mayDrop);

const COLUMNS =
  'fault|rounds|acknowledged|lost|altered|twice|refused (503)|unanswered|too late|seconds to recover (median / most)';

/** How many wrong answers of a fault are shown. */
const MAX_SHOWN = 5;

const seconds = (value = Number.NaN): string => value.toFixed(2);

/** What was found, fault by fault. */
export const reportFaults = (seed: number, results: readonly DrillResult[], skipped: string[]): Report => ({
  title: `Faults, seed ${seed}`,
  columns: COLUMNS.split('|'),
  rows: results.map(({ fault, recoveries, ...result }) => [
    fault.title,
    ...[result.rounds, result.acknowledged, result.lost, result.altered, result.twice],
    ...[result.refused, result.unanswered, result.tooLate],
    `${seconds(recoveries[Math.floor(recoveries.length / 2)])} / ${seconds(recoveries.at(-1))}`,
  ]),
  notes: skipped,
  findings: results
    .filter(isBroken)
    .flatMap(({ fault, wrong }) => [
      `${fault.title}: a promise is broken`,
      ...wrong.slice(0, MAX_SHOWN).map((each) => `${fault.title}: ${each}`),
    ]),
});
