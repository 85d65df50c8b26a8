import type { NewPlant } from '../plants/plant.ts';
import type { CreateOutcome, PlantStore } from '../plants/repository.ts';
import { BULK, createGroupCommit } from './group-commit.ts';
import type { OpenOptions } from './options.ts';
import { type ReadPage, readInPages, toNewPlant } from './pages.ts';
import { openDatabase, toUnavailable, tryToWrite } from './sqlite-file.ts';

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

/**
 * A store in one file. A batch is one transaction and one fsync: with `synchronous=FULL` a commit in WAL mode
 * survives power loss. The conflict rule is decided inside the transaction, so processes on one file agree.
 */
export const openSqliteRepository = async (path: string, options: OpenOptions = {}): Promise<PlantStore> => {
  const database = await openDatabase(path, options);
  const insert = database.prepare(
    'INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const same = database.prepare('SELECT 1 FROM plants WHERE id = ? AND name = ? AND tag IS ?');
  const select = database.prepare('SELECT id, name, tag FROM plants WHERE id >= ? ORDER BY id LIMIT ?');
  select.setReadBigInts(true);

  const createOne = ({ id, name, tag }: NewPlant): CreateOutcome => {
    const row = [id, name, tag ?? null] as const;
    if (insert.run(...row).changes > 0) return 'created';
    return same.get(...row) ? 'unchanged' : 'conflict';
  };

  const commit = (plants: readonly NewPlant[]): CreateOutcome[] => {
    try {
      database.exec('BEGIN IMMEDIATE');
      const outcomes = plants.map(createOne);
      database.exec('COMMIT');
      return outcomes;
    } catch (cause) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw toUnavailable(cause);
    }
  };
  const { submit, drain } = createGroupCommit(commit, options.bulk ? BULK : {}, options.observer);

  const readPage: ReadPage = (from, count) => {
    try {
      const rows: Row[] = select.all(from, count);
      return rows.map(({ id, name, tag }) => toNewPlant(id, name, tag));
    } catch (cause) {
      throw toUnavailable(cause);
    }
  };

  return {
    create: submit,
    async check() {
      try {
        tryToWrite(database);
        return undefined;
      } catch (error) {
        return toUnavailable(error).reason;
      }
    },
    async close() {
      await drain();
      database.close();
    },
    all: () => readInPages(readPage),
  };
};
