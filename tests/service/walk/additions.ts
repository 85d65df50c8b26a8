import type { Addition } from './steps.ts';

const REFUSALS = `        "400": { $ref: "#/paths/~1plants/post/responses/400" }
        "401": { $ref: "#/paths/~1plants/post/responses/401" }
        "503": { $ref: "#/paths/~1plants/post/responses/503" }`;

const IMPORTS = `import type { Handler } from '../../generated/handler.ts';
import { toPlant } from '../plants/plant.ts';
import type { PlantRepository } from '../plants/repository.ts';`;

/** GET /plants/{id}. */
export const GET_PLANT: Addition = {
  contract: `  /plants/{id}:
    get:
      operationId: getPlant
      parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
      responses:
        "200":
          description: The plant.
          content: { application/json: { schema: { $ref: "#/components/schemas/Plant" } } }
${REFUSALS}
        "404":
          description: There is no plant with this id.
          content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } }`,
  handler: {
    file: 'get-plant.ts',
    text: `${IMPORTS}
import { problem } from './problems.ts';

/** GET /plants/{id}: reads a plant. */
export const getPlant =
  (plants: PlantRepository): Handler<'getPlant'> =>
  async ({ path }) => {
    const plant = await plants.get(path.id);
    if (!plant) return { status: 404, body: problem('noSuchPath', \`there is no plant \${path.id}\`) };
    return { status: 200, body: toPlant(plant) };
  };`,
  },
  method: 'get(id: bigint): Promise<NewPlant | undefined>;',
  implementation: `async get(id) {
    const row = await data.db.selectFrom('plants').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toPlant(row);
  },`,
};

/** GET /plants. */
export const LIST_PLANTS: Addition = {
  contract: `  /plants:
    get:
      operationId: listPlants
      responses:
        "200":
          description: The first hundred plants, in the order of their ids.
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Plant" } }
${REFUSALS}`,
  handler: {
    file: 'list-plants.ts',
    text: `${IMPORTS}

/** GET /plants: lists plants. */
export const listPlants =
  (plants: PlantRepository): Handler<'listPlants'> =>
  async () => ({ status: 200, body: (await plants.list()).map(toPlant) });`,
  },
  method: 'list(): Promise<readonly NewPlant[]>;',
  implementation: `async list() {
    const rows = await data.db.selectFrom('plants').selectAll().orderBy('id').limit(100).execute();
    return rows.map(toPlant);
  },`,
};
