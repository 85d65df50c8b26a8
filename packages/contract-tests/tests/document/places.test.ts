import { fileURLToPath } from 'node:url';
import { createContract } from '../../src/document/contract.ts';
import { operationsOf } from '../../src/document/operations.ts';
import { readSources } from '../../src/document/sources.ts';

const FOLDER = 'tests/contracts/documents/several-files';
const file = fileURLToPath(
  new URL('../../../../tests/contracts/documents/several-files/openapi.yaml', import.meta.url),
);
const contract = createContract(await readSources(file));
const createItem = operationsOf(contract).find(({ id }) => id === 'createItem');

test.each([
  ['behind two references', { id: 1 }, 'schemas/common.yaml:12 #/Named/required'],
  ['beside a reference', { name: 'a' }, 'schemas/item.yaml:2 #/required'],
  ['in a union', { id: 1, name: 'a', parent: 1 }, 'schemas/item.yaml:6 #/properties/parent/oneOf'],
])('an error %s is located in the file that contains it', (_where, value, place) => {
  const [complaint] = contract.request.complaintsOf(createItem?.body?.contents[0]?.schema ?? true, value);
  expect(complaint?.at && contract.nameOf(complaint.at)).toBe(`${FOLDER}/${place}`);
});

test('a missing place is named by its nearest ancestor', () => {
  expect(contract.nameOf(`${createItem?.at}/responses/418/content`)).toBe(
    `${FOLDER}/paths/items.yaml:9 #/post/responses/418/content`,
  );
});
