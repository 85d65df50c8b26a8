import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createService, createStaticTokens } from '@trellis/server';
import { temporaryFolders } from '@trellis/test-support/temporary';
import express from 'express';
import { expressServers } from '../support/express.ts';

const serve = expressServers();
const newFolder = temporaryFolders();

const thing = {
  type: 'object',
  properties: { id: { type: 'integer', format: 'int64' }, pin: { type: 'string', writeOnly: true } },
};
const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });
const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        responses: { 200: json({ type: 'array', items: { $ref: '#/components/schemas/Thing' } }) },
      },
    },
  },
  components: { schemas: { Thing: thing } },
};

/** The warnings of a service that twice sends a list of things with more members than are declared. */
const warningsOf = async (production: boolean) => {
  const contract = join(await newFolder(), 'openapi.yaml');
  await writeFile(contract, JSON.stringify(CONTRACT));
  const warnings: unknown[] = [];
  const service = await createService(
    {
      name: 'things',
      version: '1.0.0',
      contract,
      openStore: async () => undefined,
      handlers: () => ({
        listThings: async () => ({
          status: 200,
          body: [1n, 2n].map((id) => ({ id, pin: 'p', owner: 'o', more: undefined })),
        }),
      }),
    },
    {
      production,
      tokens: createStaticTokens([{ name: 'tests', token: 'a-token' }]),
      log: {
        debug() {},
        info() {},
        error() {},
        warn: (details, message) => warnings.push({ ...details, message }),
      },
    },
  );
  const url = await serve(express().use(service.app));
  for (const _ of [1, 2]) expect(await (await fetch(`${url}/things`)).text()).toBe('[{"id":1},{"id":2}]');
  await service.stop();
  return warnings;
};

test('outside production each member that is not sent is a warning, once', async () => {
  const message = 'not sent: a reply has a member that its schema does not declare for replies';
  expect(await warningsOf(false)).toEqual(
    ['pin', 'owner'].map((member) => ({
      schema: '/paths/~1things/get/responses/200/content/application~1json/schema/items',
      member,
      message,
    })),
  );
  expect(await warningsOf(true)).toEqual([]);
});
