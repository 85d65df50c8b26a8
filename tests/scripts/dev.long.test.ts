import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTHORIZED } from '../../packages/server/tests/support/service.ts';
import { until } from '../support/postgres/conditions.ts';
import { copyProject } from '../support/scratch.ts';
import { temporaryFolders } from '../support/temporary.ts';
import { type DevCommand, FITS, SERVES, startDev } from './dev-command.ts';

const makeFolder = temporaryFolders();

let dev: DevCommand;
const saying = (...texts: readonly string[]): Promise<string> => dev.saying(...texts);

/**
 * A copy of the project, which the tests edit one after the other; to start the command takes longer than all edits.
 */
let folder: string;
let original: string;
const at = (...names: string[]) => join(folder, ...names);

beforeAll(async () => {
  folder = await makeFolder();
  await copyProject(folder, ['src', 'generated', 'scripts', 'openapi.yaml', 'package.json', 'tsconfig.json']);
  original = await readFile(at('openapi.yaml'), 'utf8');
  dev = await startDev(folder);
}, 300_000);

afterAll(() => dev.end());

test('a handler that no longer compiles is named with file and line, and an invalid contract changes nothing', async () => {
  await writeFile(at('openapi.yaml'), original.replace('openapi: 3.1.0', 'openapi: 4.0.0'));
  expect(await saying('openapi.yaml:')).toContain('the contract is not valid; nothing has changed');
  expect((await fetch(`${dev.url()}/healthz`)).status).toBe(200);

  await writeFile(at('openapi.yaml'), original.replace(/"409":/, '"410":'));
  expect(await saying(SERVES, 'create-plant.ts')).toMatch(
    /src\/handlers\/create-plant\.ts\(\d+,\d+\): error TS2322: .*409/,
  );
}, 300_000);

test('an empty contract is reported, and the next edit is followed', async () => {
  await writeFile(at('openapi.yaml'), '');
  expect(await saying('openapi.yaml:1:1')).toContain('the contract is not valid; nothing has changed');
  await writeFile(at('openapi.yaml'), original.replace('summary: Create a plant', 'summary: Add a plant'));
  await saying('the generated files are up to date', SERVES, FITS);
}, 300_000);

test('a contract that is empty for a moment, while it is saved, is read once it is whole', async () => {
  const file = await open(at('openapi.yaml'), 'w'); // empties it
  await sleep(120); // a slow save
  await file.writeFile(original.replace('summary: Create a plant', 'summary: Plant it'));
  await file.close();
  const said = await saying('the generated files are up to date', SERVES, FITS);
  expect(said).not.toContain('not valid');
}, 300_000);

test('a file that the contract refers to is followed like the contract', async () => {
  const typesOf = () => readFile(at('generated/openapi.ts'), 'utf8');

  await mkdir(at('parts'));
  await writeFile(at('parts/part.yaml'), 'type: string');
  const part = "    Part: { $ref: './parts/part.yaml' }\n";
  await writeFile(
    at('openapi.yaml'),
    original.replace('    NewPlant:\n', (line) => part + line),
  );
  await saying(SERVES, FITS);
  expect(await typesOf()).toContain('Part: string;');
  await writeFile(at('parts/part.yaml'), 'type: boolean');
  await saying(SERVES, FITS);
  expect(await typesOf()).toContain('Part: boolean;');
}, 300_000);

const MORE = `
  /things:
    get:
      operationId: listThings
      responses:
        "200":
          description: All things
          content:
            application/json:
              schema: { type: array, items: { type: object, properties: { name: { type: string } } } }
              example: [{ name: Lamp }]
  /things/{id}:
    delete:
      operationId: deleteThing
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
      responses:
        "204": { description: It is gone }
        "404": { description: Not found, content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } } }
`;

const LIST = `import type { Handler } from '../../generated/handler.ts';

export const listThings =
  (_needs: unknown): Handler<'listThings'> =>
  async () => ({ status: 200, body: [{ name: 'Written' }] });
`;

const DELETE = `import type { Handler } from '../../generated/handler.ts';
import { problem } from '@trellis/server';

export const deleteThing = (_needs: unknown): Handler<'deleteThing'> => {
  const there = new Set<bigint>([9007199254740993n]);
  return async ({ path }) =>
    there.delete(path.id)
      ? { status: 204, body: undefined }
      : { status: 404, body: problem('noSuchPath', \`there is no thing \${path.id}\`) };
};
`;

test('saving the contract yields an answering stub, and saving its handler serves that', async () => {
  const [paths = '', components = ''] = original.split(/^(?=components:)/m);
  await writeFile(at('openapi.yaml'), `${paths.trimEnd()}${MORE}${components}`);
  const said = await saying(SERVES, FITS);
  expect(said).toContain('+ GET /things (listThings), a stub in src/handlers/list-things.ts');
  expect(said).toContain('+ DELETE /things/{id} (deleteThing), a stub in src/handlers/delete-thing.ts');
  expect(said).not.toContain('createPlant');
  const mocked = await fetch(`${dev.url()}/things`, { headers: AUTHORIZED });
  expect([mocked.status, mocked.headers.get('x-stub'), await mocked.json()]).toEqual([
    200,
    'listThings',
    [{ name: 'Lamp' }],
  ]);

  await writeFile(at('src/handlers/list-things.ts'), LIST);
  await saying(SERVES, FITS);
  await writeFile(at('src/handlers/delete-thing.ts'), DELETE);
  expect(await saying(SERVES, FITS)).not.toContain('src/');
  expect(await (await fetch(`${dev.url()}/things`, { headers: AUTHORIZED })).json()).toEqual([
    { name: 'Written' },
  ]);
  const remove = () =>
    fetch(`${dev.url()}/things/9007199254740993`, { method: 'DELETE', headers: AUTHORIZED });
  expect((await remove()).status).toBe(204);
  expect((await remove()).status).toBe(404);
}, 300_000);

test('a save in the middle of a start is served', async () => {
  const contract = await readFile(at('openapi.yaml'), 'utf8');
  await writeFile(at('openapi.yaml'), contract.replace('summary: Create a plant', 'summary: Plant it'));
  await saying('the generated files are up to date');
  await writeFile(at('src/handlers/list-things.ts'), LIST.replace('Written', 'Rewritten'));
  const rewritten = async (): Promise<string | undefined> => {
    const reply = await fetch(`${dev.url()}/things`, { headers: AUTHORIZED }).catch(() => undefined);
    const things = await reply?.text();
    return things?.includes('"Written"') ? undefined : things; // the handler before it, until it is replaced
  };
  expect(await until('the handler is replaced', rewritten, 60_000)).toBe('[{"name":"Rewritten"}]');
}, 300_000);

const MISFIT = `import type { Handler } from '../../generated/handler.ts';

export const createPlant =
  (_needs: unknown): Handler<'createPlant'> =>
  async ({ body }) => ({ status: 200, body: { name: body.id } });

export const teapot: Handler<'createPlant'> = async () => ({ status: 418, body: { error: 1, message: '' } });
`;

test('type errors are printed like tsc, handlers without an operation included, and the log can be readable', async () => {
  await writeFile(at('src/handlers/create-plant.ts'), MISFIT);
  const said = await saying(SERVES, 'Found 2 errors');
  expect(said).toMatch(
    /create-plant\.ts\(5,23\): error .*\n(?: .*\n)* +Type 'bigint' is not assignable to type 'string'\.\n/,
  );
  expect(said).toMatch(/create-plant\.ts\(7,59\): error .*status: 418/);
  const ask = () => fetch(`${dev.url()}/nothing`).catch(() => undefined);
  await until('the service is back', ask, 60_000); // the last `listening` may be from the test before
  expect(await saying('there is nothing at /nothing')).toMatch(
    /^\d\d:\d\d:\d\d {2}GET +\/nothing +404 .* 40401 there is nothing at \/nothing {2}\S+\n$/m,
  );

  const contract = await readFile(at('openapi.yaml'), 'utf8');
  await writeFile(at('openapi.yaml'), contract.replace('operationId: createPlant', 'operationId: addPlant'));
  const told = await saying('+ POST /plants (addPlant), a stub in src/handlers/add-plant.ts');
  expect(told).toContain('openapi.yaml has no operation createPlant; delete src/handlers/create-plant.ts');
  await saying(SERVES, `error TS2344: Type '"createPlant"' does not satisfy the constraint`);
}, 300_000);

test('the service ends with the command, even if that is killed', async () => {
  expect((await fetch(`${dev.url()}/healthz`)).status).toBe(200);
  const ended = once(dev.process, 'exit');
  dev.process.kill('SIGKILL');
  await ended;
  const gone = await until('the port is closed', () => fetch(dev.url()).then(() => undefined, String));
  expect(gone).toContain('fetch failed');
}, 300_000);
