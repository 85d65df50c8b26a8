import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/scratch.ts';
import { temporaryFolders } from '../support/temporary.ts';

const newFolder = temporaryFolders();

/** A typical older contract: OpenAPI 3.0, a base path, problem details, and no security. */
const SERVED = `
openapi: 3.0.3
info: { title: Stations, version: '1' }
servers: [{ url: 'https://api.example.com/v1' }]
paths:
  /stations/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer, minimum: 1, exclusiveMinimum: true } }]
      responses:
        '200': { description: It, content: { application/json: { schema: { type: object, properties: { name: { type: string, nullable: true } } } } } }
        '400': { description: Not it, content: { application/problem+json: { schema: { type: object, properties: { detail: { type: string } } } } } }
`;

test('a valid document passes, an unsupported one is refused with a sentence, and the exit code is 1', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'stations.yaml'), SERVED);
  await writeFile(
    join(folder, 'old.json'),
    '{"swagger":"2.0","info":{"title":"Old","version":"1"},"paths":{}}',
  );
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      '--conditions=source',
      '--import',
      import.meta.resolve('tsx'),
      join(ROOT, 'scripts/check-world.ts'),
      folder,
    ],
    { cwd: ROOT, encoding: 'utf8' },
  );
  expect(stdout).toMatch(/\| stations\.yaml +\| +1 \|.*\| +0 \| +green \|/);
  expect(stdout).toMatch(/\| old\.json .*is of OpenAPI 2\.0/);
  expect(stdout).toContain('1 of 2 served and green');
  expect(status).toBe(1);
});
