import type { Handler } from '../contract/handler.ts';
import { problem } from '../contract/problem.ts';
import { toPlant } from '../plants/plant.ts';
import type { PlantRepository } from '../plants/repository.ts';

/** POST /plants: adds a plant under the id that the client chose. */
export const createPlant =
  (plants: PlantRepository): Handler<'createPlant'> =>
  async ({ body }) => {
    const outcome = await plants.create(body);
    if (outcome === 'conflict')
      return { status: 409, body: problem('idTaken', `another plant has id ${body.id}`) };
    return { status: 200, body: toPlant(body) };
  };
