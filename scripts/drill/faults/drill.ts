import { inspect } from 'node:util';
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

/** Returns the seconds that the slowest create took, with its repetitions. */
const runRound = async (
  { isRefused, mostBefore = CALM }: Fault,
  scene: Scene,
  { acknowledgements, refusal, takeSlowest }: Clients,
  chance: Chance,
): Promise<number> => {
  await acknowledgements(chance.between(CALM, mostBefore));
  takeSlowest();
  await scene.strike();
  if (isRefused) await refusal();
  await scene.mend();
  await acknowledgements(CALM);
  return takeSlowest();
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
    const waits: number[] = [];
    let damage: Damage = { lost: 0, altered: 0, twice: 0 };
    const scene = await fault.set(folder, seed);
    try {
      const clients = startClients(fault.clients ?? 16, seed, scene.targets, scene.clock);
      const { acknowledged, counts, wrong } = clients;
      const chance = createChance(seed, fault.name);
      while (waits.length < rounds && isWhole(damage) && wrong.length === 0) {
        try {
          waits.push(await runRound(fault, scene, clients, chance));
        } catch (error) {
          wrong.push(inspect(error));
          break;
        }
        if (waits.length % COMPARE_EVERY === 0) damage = await compare(fault, scene, clients);
        report(`${fault.title}: round ${waits.length} of ${rounds}, ${acknowledged.size} acknowledged`);
      }
      await clients.stop();
      damage = await compare(fault, scene, clients);
      return { fault, acknowledged: acknowledged.size, ...damage, ...counts, wrong, waits };
    } finally {
      await scene.end();
    }
  });

/** The result of drilling one fault. */
export type DrillResult = Awaited<ReturnType<typeof drill>>;

/** How many wrong answers of a fault are shown. */
const MAX_SHOWN = 5;

/** The promises that a fault has broken. */
export const findBroken = ({ fault, wrong, unanswered, waits, ...result }: DrillResult): string[] => {
  const { title, mayDrop, mostWait = Number.POSITIVE_INFINITY } = fault;
  const slowest = Math.max(0, ...waits);
  return [
    ...(isWhole(result) ? [] : ['the store is not what was acknowledged']),
    ...(unanswered > 0 && !mayDrop ? [`${unanswered} requests were not answered`] : []),
    ...(slowest > mostWait ? [`a create took ${slowest.toFixed(2)} s of work`] : []),
    ...wrong.slice(0, MAX_SHOWN),
  ].map((what) => `${title}: ${what}`);
};

const COLUMNS =
  'fault|rounds|acknowledged|lost|altered|twice|refused (503)|unanswered|too late|slowest create, s (median / most)';

/** Drills some faults. */
export const runFaults = async (options: DrillOptions, faults: readonly Fault[]): Promise<Report> => {
  const results: DrillResult[] = [];
  const skipped: string[] = [];
  for (const fault of faults) {
    const reason = fault.whyNot?.();
    if (reason === undefined) results.push(await drill(fault, options));
    else skipped.push(`${fault.title}: skipped, it ${reason}`);
  }
  return {
    title: `Faults, seed ${options.seed}`,
    columns: COLUMNS.split('|'),
    rows: results.map(({ fault, waits, ...result }) => {
      const sorted = waits.toSorted((one, other) => one - other);
      const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
      return [
        ...[fault.title, waits.length, result.acknowledged, result.lost, result.altered, result.twice],
        ...[result.refused, result.unanswered, result.tooLate],
        `${median?.toFixed(2)} / ${most?.toFixed(2)}`,
      ];
    }),
    notes: skipped,
    findings: results.flatMap(findBroken),
  };
};
