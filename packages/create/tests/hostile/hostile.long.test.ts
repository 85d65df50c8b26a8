import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preparePacked } from '@trellis/test-support/packed';
import { ROOT, TRELLIS } from '@trellis/test-support/scratch';
import { temporaryFolders } from '@trellis/test-support/temporary';
import ts from 'typescript';
import { adaptDocument } from '../../../openapi/src/document/adapt/adapt.ts';
import { renderClient } from '../../src/generate/client.ts';
import { handledOperations } from '../../src/generate/handlers.ts';

import.meta.jest.setTimeout(180_000);

const makeFolder = temporaryFolders();
const TSX = join(ROOT, 'node_modules/tsx/dist/cli.mjs');

const documentWith = (operation: object): Record<string, unknown> => ({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: { '/things': { get: { operationId: 'listThings', security: [], ...operation } } },
});

const clientOf = (operation: object) => {
  const { document, notes } = adaptDocument(documentWith(operation));
  return { notes, text: renderClient(document, handledOperations(document)) };
};

const typeErrorsIn = (folder: string, file = 'generated/openapi.ts'): unknown[] => {
  const program = ts.createProgram([join(folder, file)], {
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
};

/** Runs `trellis generate` on a contract in a temporary folder. `indent` puts its parts on separate lines. */
const generateFrom = async (contract: object, indent?: number) => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'openapi.yaml'), JSON.stringify(contract, null, indent));
  const { status, stderr } = spawnSync(process.execPath, [...TRELLIS, 'generate'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { folder, status, stderr };
};

const OK = { 200: { description: 'Fine' } };

test.each([
  ['style', { code: 'globalThis.ran()' }],
  ['style', 'fomr'],
  ['explode', { code: 'globalThis.ran()' }],
  ['explode', 'true'],
])('%s: %j of a parameter is ignored with a note, and is no code', (keyword, value) => {
  const parameter = { name: 'tags', in: 'query', schema: {}, [keyword]: value };
  const { text, notes } = clientOf({ parameters: [parameter], responses: OK });
  expect(text).toContain('parameters: [{ in: "query", name: "tags" }]');
  expect(notes).toEqual([
    expect.objectContaining({ message: expect.stringContaining(`\`${keyword}\` is ignored`) }),
  ]);
});

test('a reply whose only int64 is called code has a client that reads it', () => {
  const schema = { type: 'object', properties: { code: { type: 'integer', format: 'int64' } } };
  const response = { description: 'Fine', content: { 'application/json': { schema } } };
  const { text } = clientOf({ responses: { 200: response } });
  expect(text).toContain('const int64s1: Int64s = { members: { code: () => int64 } };');
});

test('files generated from a hostile contract parse, and run no code from it', () => {
  const { RUNS = '60', SEED = '5000000' } = process.env;
  const run = fileURLToPath(new URL('run.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [TSX, '--conditions=source', run, RUNS, SEED],
    {
      encoding: 'utf8',
    },
  );
  console.log(stdout.trim());
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

const EVIL = `"*/'\`\${globalThis.ran()}\n</script>$(touch RAN)`;

test('trellis new makes a project of a hostile contract, and none of it runs', async () => {
  const folder = await makeFolder();
  const schema = { title: EVIL, description: EVIL, enum: [EVIL, { [EVIL]: EVIL }], default: EVIL };
  const contract = {
    openapi: '3.1.0',
    info: { title: EVIL, version: EVIL, description: EVIL },
    servers: [{ url: `/${EVIL}` }],
    paths: {
      [`/${EVIL}/{${EVIL}}`]: {
        post: {
          operationId: EVIL,
          summary: EVIL,
          tags: [EVIL],
          security: [],
          parameters: [{ name: EVIL, in: 'path', required: true, style: { code: EVIL }, schema }],
          requestBody: { content: { [EVIL]: { schema: { properties: { [EVIL]: schema } } } } },
          responses: { 200: { description: EVIL, headers: { [EVIL]: { schema } } } },
        },
      },
    },
  };
  await writeFile(join(folder, 'evil.json'), JSON.stringify(contract));
  const { trellis } = await preparePacked(await makeFolder());
  const args = [trellis, 'new', join(folder, 'evil'), '--spec', join(folder, 'evil.json')];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(status).toBe(0);
  expect((await readdir(folder)).sort()).toEqual(['evil', 'evil.json']);
  expect(await readdir(join(folder, 'evil/src/handlers'))).toEqual(['global-this-ran-script-touch-ran.ts']);
  expect(await readFile(join(folder, 'evil/generated/client.ts'), 'utf8')).not.toContain('style:');
  expect(await readFile(join(folder, 'evil/README.md'), 'utf8')).toMatch(/^# [^\n]+\n\nA service made/);
});

test('a contract that cannot be used is refused, in a line for each reason', async () => {
  const circle = (at: string) => ({ $ref: `#${at}` });
  const response = { description: '', content: { 'application/json': { schema: circle('/x-thing') } } };
  const contract = {
    ...documentWith({ responses: { 200: response } }),
    'x-thing': { properties: { 'a\n\u001b[31m': circle('/x-thing/properties/a\n\u001b[31m') } },
    components: { schemas: { A: circle('/components/schemas/A') } },
  };
  const { status, stderr } = await generateFrom(contract);
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^openapi\.yaml:1:\d+ `#\/components\/schemas\/A` does not resolve; correct/),
    expect.stringMatching(
      /^openapi\.yaml:1:\d+ `#\/x-thing\/properties\/a\\u000a\\u001b\[31m` does not resolve/,
    ),
  ]);
});

describe('a schema that refers into data', () => {
  const ofData = { default: 1, $ref: '#/components/examples/One/value' };
  const components = { examples: { One: { value: { type: 'string' } } }, schemas: { Odd: ofData } };
  const generate = (operation: object) => generateFrom({ ...documentWith(operation), components }, 1);

  test('is judged by its target, like any other', async () => {
    const response = { description: '', content: { 'application/json': { schema: ofData } } };
    const { status, stderr } = await generate({ responses: { 200: response } });
    expect(status).toBe(0);
    expect(stderr.match(/^warning: \S+ default must be a string, and is ignored/gm)).toHaveLength(2);
  });

  test('is not reported where other parts of the document look like a schema', async () => {
    const schema = { discriminator: { propertyName: 'kind' }, oneOf: [{ $ref: '#/components/schemas/Odd' }] };
    const externalDocs = { url: '/', schema: { default: 1, ...schema }, more: { $ref: '#' } };
    const { status, stderr } = await generate({ responses: OK, externalDocs });
    expect(stderr).not.toContain('externalDocs');
    expect(stderr.match(/must be a string/g)).toHaveLength(1);
    expect(status).toBe(0);
  });
});

test.each([
  ['a union', { Odd: { anyOf: [{ $ref: '#/components/schemas/Odd' }, { type: 'string' }] } }],
  ['a part', { Odd: { type: 'object', default: {}, allOf: [{ $ref: '#/components/schemas/Odd' }] } }],
  [
    'another schema',
    {
      Odd: { allOf: [{ $ref: '#/components/schemas/Kind' }] },
      Kind: { allOf: [{ $ref: '#/components/schemas/Odd' }, { properties: { name: { type: 'string' } } }] },
    },
  ],
  ['a part of itself', { Odd: { allOf: [{ anyOf: [{ $ref: '#/components/schemas/Odd/allOf/0' }] }] } }],
])(
  'a schema that applies itself again, by %s, has types that compile, and a warning',
  async (_by, schemas) => {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Odd' } } };
    const operation = { responses: { 200: { description: '', content } } };
    const { folder, status, stderr } = await generateFrom(
      { ...documentWith(operation), components: { schemas } },
      1,
    );
    expect(status).toBe(0);
    expect(stderr.match(/applies its own schema to the same value again/g)).toHaveLength(1);
    expect(typeErrorsIn(folder)).toEqual([]);
  },
);

test('a base whose union lists children that extend it has types that compile, and no warning', async () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const content = { 'application/json': { schema: ref('Pet') } };
  const operation = {
    requestBody: { required: true, content },
    responses: { 200: { description: '', content } },
  };
  const kind = { type: 'string' };
  const Pet = { type: 'object', required: ['kind'], properties: { kind }, oneOf: [ref('Cat')] };
  const Cat = { allOf: [ref('Pet'), { required: ['lives'], properties: { lives: { type: 'integer' } } }] };
  const schemas = { Pet: { ...Pet, discriminator: { propertyName: 'kind' } }, Cat };
  const { folder, status, stderr } = await generateFrom(
    { ...documentWith(operation), components: { schemas } },
    1,
  );
  expect(status).toBe(0);
  expect(stderr).not.toContain('applies its own schema');
  await writeFile(
    join(folder, 'pet.ts'),
    [
      "import type { components } from './generated/openapi.ts';",
      "type Pet = components['schemas']['Pet'];",
      "export const cat: Pet = { kind: 'Cat', lives: 9 };",
      '// @ts-expect-error a cat without lives is no pet',
      "export const ghost: Pet = { kind: 'Cat' };",
    ].join('\n'),
  );
  expect(typeErrorsIn(folder, 'pet.ts')).toEqual([]);
});

test.each([
  [
    'a property',
    (tree: object) => ({ properties: { left: { anyOf: [tree, { type: 'null' }] }, right: tree } }),
  ],
  ['an item', (tree: object) => ({ type: 'array', items: tree })],
  ['the first item', (tree: object) => ({ type: 'array', prefixItems: [{ oneOf: [tree] }], items: false })],
])('a schema that reaches itself through %s has types that compile, and no warning', async (_by, treeOf) => {
  const tree = { $ref: '#/components/schemas/Tree' };
  const Tree = treeOf(tree);
  const content = { 'application/json': { schema: tree } };
  const operation = { responses: { 200: { description: '', content } } };
  const { folder, status, stderr } = await generateFrom({
    ...documentWith(operation),
    components: { schemas: { Tree } },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(typeErrorsIn(folder)).toEqual([]);
});
