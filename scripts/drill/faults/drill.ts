import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { type Chance, createChance } from '../chance.ts';
import type { DrillOptions, Report } from '../report.ts';
import { type Damage, findDamage, readPlants } from '../stored-plants.ts';
import { type Clients, startClients } from './clients.ts';
import type { Fault, Scene } from './scene.ts';

/** The store is compared every so many rounds, and at the end: each time costs more. */
const COMPARE_EVERY = 10;
/** How many plants are created before and after the fault in each round, at least. */
const CALM = 200;

/** Returns the seconds from the start of the repair to the next 200, or the longest time without one. */
const runRound = async (
  { isRefused, isOutage, mostBefore = CALM }: Fault,
  scene: Scene,
  { acknowledgements, refusal, takeLongestPause }: Clients,
  chance: Chance,
): Promise<number> => {
  await acknowledgements(chance.between(CALM, mostBefore));
  takeLongestPause();
  await scene.strike();
  if (isRefused) await refusal();
  const begun = performance.now();
  const recovered = acknowledgements(1).then(() => performance.now());
  await scene.mend();
  const seconds = ((await recovered) - begun) / 1000;
  await acknowledgements(CALM);
  return isOutage ? takeLongestPause() : seconds;
};

/** Whatever was acknowledged before the read must be in the store. So the clients need not pause. */
const compare = async (fault: Fault, { query }: Scene, clients: Clients): Promise<Damage> => {
  const acknowledged = new Map(clients.acknowledged);
  await fault.check?.(query);
  return findDamage(acknowledged, await readPlants(query));
};

const isWhole = ({ lost, altered, twice }: Damage): boolean => lost + altered + twice === 0;

/** Drills one fault under load, round after round. Stops at the first damage. */
export const drill = (fault: Fault, { rounds, seed, report }: Omit<DrillOptions, 'requests'>) =>
  inTemporaryFolder('plant-store-drill', async (folder) => {
    const recoveries: number[] = [];
    let damage: Damage = { lost: 0, altered: 0, twice: 0 };
    const scene = await fault.set(folder, seed);
    try {
      const clients = startClients(fault.clients ?? 16, seed, scene.targets);
      const { acknowledged, counts, wrong } = clients;
      const chance = createChance(seed, fault.name);
      while (recoveries.length < rounds && isWhole(damage) && wrong.length === 0) {
        recoveries.push(await runRound(fault, scene, clients, chance));
        if (recoveries.length % COMPARE_EVERY === 0) damage = await compare(fault, scene, clients);
        report(`${fault.title}: round ${recoveries.length} of ${rounds}, ${acknowledged.size} acknowledged`);
      }
      await clients.stop();
      damage = await compare(fault, scene, clients);
      return { fault, acknowledged: acknowledged.size, ...damage, ...counts, wrong, recoveries };
    } finally {
      await scene.end();
    }
  });

/** The result of drilling one fault. */
export type DrillResult = Awaited<ReturnType<typeof drill>>;

/** How many wrong answers of a fault are shown. */
const MAX_SHOWN = 5;

/** The promises that a fault has broken. */
export const findBroken = ({ fault, wrong, unanswered, ...result }: DrillResult): string[] =>
  [
    ...(isWhole(result) ? [] : ['the store is not what was acknowledged']),
    ...(unanswered > 0 && !fault.mayDrop ? [`${unanswered} requests were not answered`] : []),
    ...wrong.slice(0, MAX_SHOWN),
  ].map((what) => `${fault.title}: ${what}`);

const COLUMNS = 'fault|rounds|acknowledged|lost|altered|twice|refused (503)|unanswered|too late';

/** Drills some faults. */
export const runFaults = async (
  options: DrillOptions,
  faults: readonly Fault[],
  timed = 'seconds to recover',
): Promise<Report> => {
  const results: DrillResult[] = [];
  const skipped: string[] = [];
  for (const fault of faults) {
    const reason = fault.whyNot?.();
    if (reason === undefined) results.push(await drill(fault, options));
    else skipped.push(`${fault.title}: skipped, it ${reason}`);
  }
  return {
    title: `Faults, seed ${options.seed}`,
    columns: [...COLUMNS.split('|'), `${timed} (median / most)`],
    rows: results.map(({ fault, recoveries, ...result }) => {
      const sorted = recoveries.toSorted((one, other) => one - other);
      const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
      return [
        ...[fault.title, recoveries.length, result.acknowledged, result.lost, result.altered, result.twice],
        ...[result.refused, result.unanswered, result.tooLate],
        `${median?.toFixed(2)} / ${most?.toFixed(2)}`,
      ];
    }),
    notes: skipped,
    findings: results.flatMap(findBroken),
  };
};
