import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { temporaryFolders } from '../../../../../tests/support/temporary.ts';
import type { OpenOptions } from '../../../src/engines/options.ts';
import { openSqliteSql } from '../../../src/engines/sqlite/open.ts';

/** A store of things, as an application would write it over the engine. */
export const SCHEMA = {
  name: 'shop',
  applicationId: 0x53484f50,
  steps: ['CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT'],
};

export const INSERT = 'INSERT INTO things (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING';
const SAME = 'SELECT 1 FROM things WHERE id = ? AND name = ?';
const DELETE = 'DELETE FROM things WHERE id = ?';
const SELECT = 'SELECT id, name FROM things ORDER BY id';

export interface Thing {
  readonly id: bigint;
  readonly name: string;
}

export const openThings = async (path: string, options?: OpenOptions, timeout?: number) => {
  const engine = await openSqliteSql(path, SCHEMA, options, timeout);
  return {
    ...engine,
    async create({ id, name }: Thing) {
      const { changed } = await engine.run({ sql: INSERT, values: [id, name] });
      if (changed > 0n) return 'created';
      const { rows } = await engine.read({ sql: SAME, values: [id, name] });
      return rows.length > 0 ? 'unchanged' : 'conflict';
    },
    remove: async (id: bigint) => (await engine.run({ sql: DELETE, values: [id] })).changed > 0n,
    all: async () => (await engine.read<Thing>({ sql: SELECT, values: [] })).rows,
  };
};

export type Things = Awaited<ReturnType<typeof openThings>>;

/** A folder for each test of a file, and the path of a database in one. */
export const useFolders = () => {
  const makeFolder = temporaryFolders();
  return { makeFolder, makePath: async () => join(await makeFolder(), 'things.db') };
};

/** Reads the file as another program would. */
export const readRows = (path: string) => {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT CAST(id AS TEXT) AS id, name FROM things ORDER BY things.id').all();
  database.close();
  return rows.map((row) => ({ ...row }));
};

export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

export const sizeOf = (path: string): number => statSync(path).size;
