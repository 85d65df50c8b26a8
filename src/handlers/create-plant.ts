import type { Handler, OperationReply } from '../../generated/handler.ts';
import { type NewPlant, toPlant } from '../plants/plant.ts';
import type { PlantRepository } from '../plants/repository.ts';
import { problem } from './problems.ts';

const create = async (plants: PlantRepository, plant: NewPlant): Promise<OperationReply<'createPlant'>> => {
  const outcome = await plants.create(plant);
  if (outcome === 'conflict')
    return { status: 409, body: problem('idTaken', `another plant has id ${plant.id}`) };
  return { status: 200, body: toPlant(plant) };
};

/**
 * POST /plants: adds a plant under the id that the client chose. Members that the contract does not name are dropped
 * before the wait for the store: a parsed body can take twenty times the memory of its text.
 */
export const createPlant =
  (plants: PlantRepository): Handler<'createPlant'> =>
  ({ body }) =>
    create(plants, { id: body.id, ...toPlant(body) });
