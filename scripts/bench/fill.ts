import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { openSqliteRepository } from '../../src/storage/sqlite.ts';
import { IDS, NAME, TAG } from './plan.ts';

/** Several passes over the range, each filling gaps of the last: pages end up as full as after random inserts. */
const PASSES = 4;
const BATCH = 250_000;

const INSERT = `WITH RECURSIVE place (n) AS (SELECT :first UNION ALL SELECT n + :step FROM place LIMIT :rows)
  INSERT INTO plants SELECT :least + 2 * (n * :slot + 1 + abs(random() % (:slot - 1))), '${NAME}', '${TAG}' FROM place`;

/** Creates a store in a folder and fills it directly, with random ids that no load uses. */
export const fillStore = async (
  folder: string,
  plants: number,
  report: (text: string) => void,
): Promise<void> => {
  await mkdir(folder);
  const path = join(folder, 'plants.db');
  await (await openSqliteRepository(path)).close(); // creates the table
  const database = new DatabaseSync(path);
  try {
    // Nothing here has to survive a crash, and a large cache saves disk writes.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
    const insert = database.prepare(INSERT);
    const slot = Math.floor(IDS.range / plants);
    for (let pass = 0; pass < PASSES; pass += 1)
      for (let first = pass; first < plants; first += BATCH * PASSES) {
        const rows = Math.min(BATCH, Math.ceil((plants - first) / PASSES));
        insert.run({ first, step: PASSES, rows, least: IDS.least, slot });
        const share = (pass + first / plants) / PASSES;
        report(`filling a store with ${plants.toLocaleString('en')} plants: ${Math.round(share * 100)} %`);
      }
  } finally {
    database.close();
  }
  report('writing it to disk'); // otherwise the system would do so during a measurement
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
};
