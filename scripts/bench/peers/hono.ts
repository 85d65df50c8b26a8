/** Hono with @hono/zod-openapi on @hono/node-server as its README shows, with a route of Zod schemas and an error hook. */
import { serve } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { create, toError, toPlant } from '../servers/commits.ts';
import { announce, isAuthorized } from '../servers/settings.ts';

const Plant = z.object({ name: z.string(), tag: z.string().optional() }).openapi('Plant');
const NewPlant = Plant.extend({ id: z.int() }).openapi('NewPlant');
const ErrorBody = z.object({ error: z.int(), message: z.string() }).openapi('Error');

const reply = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
});

const createPlant = createRoute({
  method: 'post',
  path: '/plants',
  request: { body: { required: true, content: { 'application/json': { schema: NewPlant } } } },
  responses: {
    200: reply('Plant response', Plant),
    400: reply('Unexpected error', ErrorBody),
    401: reply('No valid token', ErrorBody),
    409: reply('The id is taken', ErrorBody),
  },
});

const app = new OpenAPIHono({
  defaultHook: (result, context) =>
    result.success ? undefined : context.json(toError(400, z.prettifyError(result.error)), 400),
});

app.onError((error, context) => {
  const status = error instanceof HTTPException ? error.status : 500;
  return context.json(toError(status, error.message), status);
});

app.use('/plants', async (context, next) => {
  if (!isAuthorized(context.req.header('authorization')))
    return context.json(toError(401, 'the bearer token is not valid'), 401);
  await next();
});

app.openapi(createPlant, (context) => {
  const plant = context.req.valid('json');
  if (create(plant)) return context.json(toPlant(plant), 200);
  return context.json(toError(409, `another plant has id ${plant.id}`), 409);
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  announce(`http://127.0.0.1:${port}`),
);
