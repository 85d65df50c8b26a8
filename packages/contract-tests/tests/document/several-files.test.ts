import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { createContract } from '../../src/document/contract.ts';
import { operationsOf } from '../../src/document/operations.ts';
import { readSources } from '../../src/document/sources.ts';

const newFolder = temporaryFolders();

const THING = { type: 'object', properties: { name: { type: 'string' } } };

/** The parameters of an operation that declares none, in a contract whose reply has this schema. */
const parametersWith = async (schema: object) => {
  const folder = await newFolder();
  const reply = { description: '', content: { 'application/json': { schema } } };
  const paths = { '/things/{id}': { get: { operationId: 'readThing', responses: { 200: reply } } } };
  const document = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths };
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  await writeFile(join(folder, 'thing.json'), JSON.stringify(THING));
  const contract = createContract(await readSources(join(folder, 'openapi.json')));
  return operationsOf(contract).flatMap(({ parameters }) => parameters);
};

test.each([
  ['in the same file', THING],
  ['in a second file', { $ref: 'thing.json' }],
])('an undeclared path parameter is a text, with a schema %s', async (_where, schema) => {
  expect(await parametersWith(schema)).toMatchObject([
    { in: 'path', name: 'id', isRequired: true, schema: { type: 'string' } },
  ]);
});
