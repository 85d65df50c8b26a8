import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolders } from '../../../../../tests/support/temporary.ts';
import { readContract } from '../../../../openapi/src/files/load.ts';

const makeFolder = temporaryFolders();
const refer = (nth: number) => ({ $ref: `#/x-maps/${nth}` });

test('a contract whose references multiply is refused in one line', async () => {
  const file = join(await makeFolder(), 'openapi.yaml');
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: refer(0),
    'x-maps': Array.from({ length: 30 }, (_, nth) => ({ '/a': { a: refer(nth + 1), b: refer(nth + 1) } })),
  };
  await writeFile(file, JSON.stringify(contract));
  await expect(readContract(file)).rejects.toThrow(
    /^the contract is too large: more than 300000 objects in place of a `\$ref`$/,
  );
});
