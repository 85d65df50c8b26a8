import { inspect } from 'node:util';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { type Chance, createChance } from '../chance.ts';
import type { Damage, Subject } from '../subjects/subject.ts';
import { type Clients, startClients } from './clients.ts';
import type { Fault, Scene } from './scene.ts';

/** The store is compared every ten rounds, and at the end: each comparison takes longer. */
const COMPARE_EVERY = 10;
/** How many requests are answered before and after the fault in each round, at least. */
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

/** Returns the seconds that the slowest answer took, with its repetitions. */
const runRound = async (
  { isRefused, mostBefore = CALM }: Fault,
  scene: Scene,
  { answers, refusal, takeSlowest }: Clients,
  chance: Chance,
): Promise<number> => {
  await answers(chance.between(CALM, mostBefore));
  takeSlowest();
  await scene.strike();
  if (isRefused) await refusal();
  await scene.mend();
  await answers(CALM);
  return takeSlowest();
};

/** Whether a store holds exactly the acknowledged writes. */
export const isWhole = ({ lost, altered, twice }: Damage): boolean => lost + altered + twice === 0;

/** Drills one fault of a subject under load, round after round. Stops at the first damage. */
export const drill = (fault: Fault, subject: Subject, { rounds, seed, report }: DrillOptions) =>
  inTemporaryFolder('drill', async (folder) => {
    const waits: number[] = [];
    let damage: Damage = { lost: 0, altered: 0, twice: 0 };
    const memory = await subject.remember(folder);
    const scene = await fault.set(folder, seed, subject);
    try {
      const clients = startClients(fault.clients ?? 16, seed, memory, scene.targets, scene.clock);
      const { tally } = clients;
      const { wrong } = tally;
      const attempt = async (work: () => Promise<void>): Promise<void> =>
        work().catch((error) => void wrong.push(inspect(error)));
      const compare = async () => {
        damage = await memory.findDamage(scene.query);
      };
      const chance = createChance(seed, fault.name);
      while (waits.length < rounds && isWhole(damage) && wrong.length === 0)
        await attempt(async () => {
          waits.push(await runRound(fault, scene, clients, chance));
          if (waits.length % COMPARE_EVERY === 0) await compare();
          const progress = `round ${waits.length} of ${rounds}, ${memory.acknowledged()} acknowledged`;
          report(`${subject.name}: ${fault.title}: ${progress}`);
        });
      await clients.stop();
      await attempt(compare);
      if (wrong.length === 0) await attempt(async () => memory.settleDown?.(scene.query));
      return {
        fault,
        subject: subject.name,
        acknowledged: memory.acknowledged(),
        ...damage,
        ...tally,
        waits,
      };
    } finally {
      await scene.end();
      memory.close?.();
    }
  });

/** The result of drilling one fault. */
export type DrillResult = Awaited<ReturnType<typeof drill>>;
