import type { Row } from '../support/query.ts';

/** A plant as it is stored. The id is text, so that it stays exact. */
export interface StoredPlant {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const toStored = ({ id, name, tag }: Row): StoredPlant => {
  if (!isText(id) || !isText(name) || !(isText(tag) || tag === null))
    throw new Error(`not a plant: ${id}, ${name}, ${tag}`);
  return { id, name, tag };
};

const SELECT = 'SELECT CAST(id AS TEXT) AS id, name, tag FROM plants';

/** Asks a store directly, without a service. */
export type Query = (sql: string) => Promise<Row[]> | Row[];

/** Reads all plants of a store. */
export const readPlants = async (query: Query): Promise<StoredPlant[]> => (await query(SELECT)).map(toStored);

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
