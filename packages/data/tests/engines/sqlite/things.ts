import { DatabaseSync } from '@photostructure/sqlite';
import { type DataSchema, openEngine, type SqliteOptions } from '@trellis/data/internal';

/** A store of things, as an application would write it over the engine. */
export const SCHEMA: DataSchema = {
  name: 'shop',
  applicationId: 0x53484f50,
  migrations: ['CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT'],
};

export const INSERT = 'INSERT INTO things (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING';

export interface Thing {
  readonly id: bigint;
  readonly name: string;
}

export const openThings = async (path: string, options?: SqliteOptions) => {
  const engine = await openEngine(`sqlite:${path}`, SCHEMA, options);
  return {
    ...engine,
    async create({ id, name }: Thing) {
      const { numAffectedRows } = await engine.run({ sql: INSERT, values: [id, name] });
      if (numAffectedRows > 0n) return 'created';
      const same = 'SELECT 1 FROM things WHERE id = ? AND name = ?';
      const { rows } = await engine.read({ sql: same, values: [id, name] });
      return rows.length > 0 ? 'unchanged' : 'conflict';
    },
  };
};

export type Things = Awaited<ReturnType<typeof openThings>>;

/** How many rows a file has, as another program reads it. */
export const countRows = (path: string): number => {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare('SELECT count(*) AS count FROM things').get();
  database.close();
  return Number(row?.count);
};
