import { queryPostgres, querySqlite } from '../support/query.ts';

/** A plant as it is stored. The id is text, so that it stays exact. */
export interface StoredPlant {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const toStored = ({ id, name, tag }: Readonly<Record<string, unknown>>): StoredPlant => {
  if (!isText(id) || !isText(name) || !(isText(tag) || tag === null))
    throw new Error(`not a plant: ${id}, ${name}, ${tag}`);
  return { id, name, tag };
};

const SELECT = 'SELECT CAST(id AS TEXT) AS id, name, tag FROM plants';

/** Reads all plants directly from a SQLite file. */
export const readSqlite = async (path: string): Promise<StoredPlant[]> =>
  querySqlite(path, SELECT).map(toStored);

/** Reads all plants directly from a PostgreSQL database. */
export const readPostgres = async (url: string): Promise<StoredPlant[]> =>
  (await queryPostgres(url, SELECT)).map(toStored);

/** Returns how a store differs from the plants that were acknowledged. One that was never acknowledged is no damage. */
export const findDamage = (
  acknowledged: ReadonlyMap<string, { readonly name: string; readonly tag?: string | undefined }>,
  stored: readonly StoredPlant[],
) => {
  const byId = new Map(stored.map((plant) => [plant.id, plant]));
  let [lost, altered] = [0, 0];
  for (const [id, { name, tag = null }] of acknowledged) {
    const plant = byId.get(id);
    if (!plant) lost += 1;
    else if (plant.name !== name || plant.tag !== tag) altered += 1;
  }
  return { lost, altered, twice: stored.length - byId.size };
};

/** How a store differs from what was acknowledged. */
export type Damage = ReturnType<typeof findDamage>;
