import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TRELLIS } from '@trellis/test-support/scratch';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { findTypeFaults } from '../../src/new/type-faults.ts';

import.meta.jest.setTimeout(120_000);

const makeFolder = temporaryFolders();
const TEMPLATE = fileURLToPath(
  new URL('../../src/new/template/common/tsconfig.json.template', import.meta.url),
);

const CONTRACT = `openapi: 3.1.0
info: { title: Things, version: '1' }
paths: {}
components:
  schemas:
    Base: { type: object, properties: { id: { type: integer } } }
    Thing: { allOf: [{ $ref: '#/components/schemas/Base' }], required: [id] }
`;

/** A project with generated files, and without packages. */
const makeProject = async (): Promise<string> => {
  const folder = await makeFolder();
  await cp(TEMPLATE, join(folder, 'tsconfig.json'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'openapi.yaml'), CONTRACT);
  await once(spawn(process.execPath, [...TRELLIS, 'generate'], { cwd: folder }), 'close');
  return folder;
};

test('types that do not compile are reported with the schema that caused them', async () => {
  const folder = await makeProject();
  expect(await findTypeFaults(folder, ['source'])).toEqual([]);

  const types = join(folder, 'generated/openapi.ts');
  const text = await readFile(types, 'utf8');
  await writeFile(
    types,
    text
      .replace('components["schemas"]["Base"], ', 'null, ')
      .replace('K extends PropertyKey', 'K extends keyof T'),
  );
  const line = text.slice(0, text.indexOf(' Thing: ')).split('\n').length;
  expect(await findTypeFaults(folder, ['source'])).toEqual([
    expect.stringMatching(
      new RegExp(
        `^generated/openapi.ts:${line} Type '"id"' does not satisfy .*\\n#/components/schemas/Thing:\\nallOf:\\n[\\s\\S]*required:\\n {2}- id\\n`,
      ),
    ),
  ]);
});
