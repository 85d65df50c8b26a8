import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyProject } from '../../../../tests/support/scratch.ts';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { findTypeFaults } from '../../src/new/type-faults.ts';

import.meta.jest.setTimeout(120_000);

const makeFolder = temporaryFolders();
const TEMPLATE = fileURLToPath(
  new URL('../../src/new/template/common/tsconfig.json.template', import.meta.url),
);

/** The generated files of this repository, in a project without packages. */
const makeProject = async (): Promise<string> => {
  const folder = await makeFolder();
  await copyProject(folder, ['generated', 'openapi.yaml']);
  await cp(TEMPLATE, join(folder, 'tsconfig.json'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'src/handlers.ts'), 'export {};\n');
  return folder;
};

test('types that do not compile are reported with the schema that caused them', async () => {
  const folder = await makeProject();
  expect(await findTypeFaults(folder, ['source'])).toEqual([]);

  const types = join(folder, 'generated/openapi.ts');
  const text = await readFile(types, 'utf8');
  await writeFile(types, text.replace(/( {8}NewPlant: )[^&]*/, '$1Pick<null, "start"> '));
  const line = text.slice(0, text.indexOf(' NewPlant: ')).split('\n').length;
  expect(await findTypeFaults(folder, ['source'])).toEqual([
    expect.stringMatching(
      new RegExp(
        `^generated/openapi.ts:${line} Type '"start"' does not satisfy .*\\n#/components/schemas/NewPlant:\\n[^]*required:\\n {6}- id\\n`,
      ),
    ),
  ]);
});
