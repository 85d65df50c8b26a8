import type { Row } from '../../support/query.ts';
import { MAIN } from '../../support/service.ts';
import type { Chance } from '../chance.ts';
import { writeAuthorized } from '../settings.ts';
import type { Damage, Deed, Memory, Query, Subject } from './subject.ts';

/** A plant, in requests and in the store. The id is text, so that it stays exact. */
export interface Plant {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

const isText = (value: unknown): value is string => typeof value === 'string';

const toPlant = ({ id, name, tag }: Row): Plant => {
  if (!isText(id) || !isText(name) || !(isText(tag) || tag === null))
    throw new Error(`not a plant: ${id}, ${name}, ${tag}`);
  return { id, name, tag };
};

const SELECT = 'SELECT CAST(id AS TEXT) AS id, name, tag FROM plants';

/** Reads all plants of a store. */
export const readPlants = async (query: Query): Promise<Plant[]> => (await query(SELECT)).map(toPlant);

/** Returns how a store differs from the plants that were acknowledged. One that was never acknowledged is no damage. */
export const findDamage = (acknowledged: ReadonlyMap<string, Plant>, stored: readonly Plant[]): Damage => {
  const byId = new Map(stored.map((plant) => [plant.id, plant]));
  let [lost, altered] = [0, 0];
  for (const [id, { name, tag }] of acknowledged) {
    const plant = byId.get(id);
    if (!plant) lost += 1;
    else if (plant.name !== name || plant.tag !== tag) altered += 1;
  }
  return { lost, altered, twice: stored.length - byId.size };
};

/** Remembers plants. Clients create new ones, repeat some, and try some ids with another plant. */
const remember = (): Memory => {
  const acknowledged = new Map<string, Plant>();

  const create = (plant: Plant, expected: 200 | 409, known: Plant[]): Deed => {
    const body = `{"id":${plant.id},"name":${JSON.stringify(plant.name)},"tag":${JSON.stringify(plant.tag)}}`;
    return {
      request: writeAuthorized('POST /plants', body),
      settle({ status, text }) {
        if (status !== expected) return `${body}: ${status} ${text}, not ${expected}`;
        if (status === 200) acknowledged.set(plant.id, plant);
        if (status === 200) known.push(plant);
        return undefined;
      },
    };
  };

  return {
    acknowledged: () => acknowledged.size,
    createClient(chance: Chance) {
      const known: Plant[] = [];
      return () => {
        const isNew = known.length === 0 || !chance.oneIn(10);
        if (!isNew && chance.oneIn(2)) return create(chance.pick(...known), 200, known);
        if (!isNew) return create({ ...chance.pick(...known), name: 'another' }, 409, known);
        const id = `${chance.int64()}`;
        return create({ id, name: `plant ${id}`, tag: `tag ${chance.between(0, 999)}` }, 200, known);
      };
    },
    async findDamage(query) {
      const remembered = new Map(acknowledged); // clients keep sending
      return findDamage(remembered, await readPlants(query));
    },
  };
};

/** The built plant store. */
export const PLANTS: Subject = {
  name: 'plants',
  program: async () => MAIN,
  settings: () => ({}),
  write: { target: '/plants', body: '{"id":1,"name":"a"}' },
  remember,
};
