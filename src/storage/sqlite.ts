import type { OpenOptions } from '@trellis/server';
import type { BackupOptions } from '@trellis/server/sqlite';
import { openSqliteEngine } from '@trellis/server/sqlite';
import type { CreateOutcome, PlantStore } from '../plants/repository.ts';
import { ENOUGH_CHARACTERS, type Row, readInPages, toNewPlant } from './pages.ts';

const SCHEMA = {
  name: 'plant store',
  applicationId: 0x504c4e54, // "PLNT"
  steps: ['CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT'],
};

/** A plant is inserted, or found to be there already; otherwise another plant has its id. */
const CREATE = [
  'INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  'SELECT 1 FROM plants WHERE id = ? AND name = ? AND tag IS ?',
];
const OUTCOMES: readonly CreateOutcome[] = ['created', 'unchanged'];

const SELECT_PAGE = 'SELECT id, name, tag FROM plants WHERE id >= ? ORDER BY id LIMIT ?';

const COUNT = 'SELECT count(*) FROM plants';

/** Opens a store in one file. */
export const openSqliteRepository = async (
  path: string,
  options?: OpenOptions,
  timeout?: number,
): Promise<PlantStore> => {
  const engine = await openSqliteEngine(path, SCHEMA, options, timeout);
  return {
    create: async ({ id, name, tag }) =>
      OUTCOMES[await engine.write(CREATE, [id, name, tag ?? null])] ?? 'conflict',
    all: () =>
      readInPages(async (from, count) => {
        const rows = await engine.read<Row<bigint>>(SELECT_PAGE, [from, count], ENOUGH_CHARACTERS);
        return rows.map(toNewPlant);
      }),
    check: engine.check,
    close: engine.close,
  };
};

/** A copy of a store that is complete and on disk. */
export interface Backup {
  readonly plants: number;
  readonly bytes: number;
}

/** Copies the store of a file into another file, while it is served. */
export const backUpSqliteRepository = async (path: string, options: BackupOptions): Promise<Backup> => {
  const { backUpSqlite } = await import('@trellis/server/sqlite');
  const { rows, bytes } = await backUpSqlite({ path, schema: SCHEMA, count: COUNT }, options);
  return { plants: rows, bytes };
};
