import { inspect } from 'node:util';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { type Chance, createChance } from '../chance.ts';
import { type Damage, findDamage, readPlants } from '../stored-plants.ts';
import { type Clients, startClients } from './clients.ts';
import type { Fault, Scene } from './scene.ts';

/** The store is compared every so many rounds, and at the end: each time costs more. */
const COMPARE_EVERY = 10;
/** How many plants are created before and after the fault in each round, at least. */
const CALM = 200;

/** How a drill runs. */
export interface DrillOptions {
  /** The same seed makes the same choices. */
  readonly seed: number;
  /** How often each fault is repeated. */
  readonly rounds: number;
  /** Shows progress. */
  readonly report: (text: string) => void;
}

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

/** Whether a store is what was acknowledged. */
export const isWhole = ({ lost, altered, twice }: Damage): boolean => lost + altered + twice === 0;

/** Drills one fault under load, round after round. Stops at the first damage. */
export const drill = (fault: Fault, { rounds, seed, report }: DrillOptions) =>
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
