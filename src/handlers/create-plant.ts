import type { Handler, OperationReply } from '../../generated/handler.ts';
import { toPlant } from '../plants/plant.ts';
import type { PlantRepository } from '../plants/repository.ts';
import { problem } from './problems.ts';

/** POST /plants: adds a plant under the id that the client chose. */
export const createPlant =
  (plants: PlantRepository): Handler<'createPlant'> =>
  async ({ body }): Promise<OperationReply<'createPlant'>> => {
    const outcome = await plants.create(body);
    if (outcome === 'conflict')
      return { status: 409, body: problem('idTaken', `another plant has id ${body.id}`) };
    return { status: 200, body: toPlant(body) };
  };
