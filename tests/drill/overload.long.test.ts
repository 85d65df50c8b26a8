import { buildServers } from '../../scripts/bench/build.ts';
import { OVERLOAD_ENTRIES, runOverload } from '../../scripts/bench/overload.ts';
import { whyNoQuota } from '../../scripts/support/cpu-quota.ts';

/** A fifth of the benchmark's crowd. */
const CROWD = { connections: 960, time: 2000, stay: 900 };

const serve = async (name: string) => {
  const [entry] = OVERLOAD_ENTRIES.filter((each) => each.name === name);
  if (!entry) throw new Error(`there is no ${name}`);
  return runOverload(entry, 0.1, CROWD);
};

(whyNoQuota() === undefined ? test : test.skip)(
  'with a tenth of a core, more clients of a crowd that soon gives up are answered than by bare Express',
  async () => {
    await buildServers();
    const [ours, express] = [await serve('plants'), await serve('express')];
    expect(ours.warm.answers).toBeGreaterThan(express.warm.answers);
    expect(ours.cold.answers + ours.warm.answers).toBeGreaterThan(
      express.cold.answers + express.warm.answers,
    );
  },
  180_000,
);
