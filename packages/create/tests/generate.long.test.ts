import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { copyProject, ROOT, TRELLIS } from '@trellis/test-support/scratch';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { build } from 'esbuild';
import { othersApart } from '../../../scripts/support/others-apart.ts';

// Every test starts processes, which take long on a busy machine.
jest.setTimeout(180_000);

const TSX = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
const makeFolder = temporaryFolders();

const CONTRACT = await readFile(new URL('contract.yaml', import.meta.url), 'utf8');

const RUNNER = fileURLToPath(new URL('command-runner.ts', import.meta.url));

/** The command in one file, so that it can be run again and again. Its packages are found from where it is. */
const BUNDLE = join(ROOT, `node_modules/.cache/generate-${process.pid}.mjs`);

/** The process that runs the command, whose packages take ten times as long to load as it takes to run. */
let runner: ChildProcess;
afterAll(async () => {
  runner.kill();
  await rm(BUNDLE, { force: true });
});

/** A project with its own contract, generated once. Tests change copies of it. */
let project: string;
beforeAll(async () => {
  await build({
    stdin: {
      contents: `import { runGenerate } from './src/generate.ts';
const [isCheck, isStrict] = ['--check', '--strict'].map((flag) => process.argv.includes(flag));
process.exitCode = (await runGenerate({ isCheck, isStrict })) ? 0 : 1;`,
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    plugins: [othersApart],
    outfile: BUNDLE,
    logLevel: 'error',
  });
  runner = fork(RUNNER, [BUNDLE], { execArgv: ['--import', 'tsx'] });
  project = await makeFolder();
  await copyProject(project, ['package.json']);
  await mkdir(join(project, 'src/handlers'), { recursive: true });
  await writeFile(join(project, 'src/handlers/problems.ts'), 'export const problem = undefined;\n');
  await writeFile(join(project, 'openapi.yaml'), CONTRACT);
  await generate(project);
}, 120_000);

/** Copies the files that the generator reads and writes. */
const makeCopy = async (edit: (contract: string) => string = (contract) => contract) => {
  const folder = await makeFolder();
  await cp(project, folder, { recursive: true });
  await writeFile(join(folder, 'openapi.yaml'), edit(CONTRACT));
  return folder;
};

const run = async (cwd: string, ...args: string[]) => {
  const child = spawn(process.execPath, args, { cwd });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(`${chunk}`));
  await once(child, 'close');
  return { code: child.exitCode, output: output.join('').trim() };
};

const generate = async (cwd: string, ...args: string[]): Promise<{ code: number; output: string }> => {
  const answered = once(runner, 'message');
  runner.send({ cwd, args });
  const [answer] = await answered;
  return answer;
};

const typesIn = (folder: string) => readFile(join(folder, 'generated/openapi.ts'), 'utf8');

test('the committed files are up to date', async () => {
  expect(await run(ROOT, ...TRELLIS, 'generate', '--check')).toEqual({
    code: 0,
    output:
      'generated/openapi.ts is up to date\ngenerated/client.ts is up to date\ngenerated/handler.ts is up to date\nsrc/handlers.ts is up to date',
  });
});

test('the types are the same every time, say not to edit them, and have bigint for int64', async () => {
  const folder = await makeCopy();
  await writeFile(join(folder, 'generated/openapi.ts'), '');
  expect(await generate(folder)).toEqual({
    code: 0,
    output:
      'generated/openapi.ts written\ngenerated/client.ts is up to date\ngenerated/handler.ts is up to date\nsrc/handlers.ts is up to date',
  });
  const types = await typesIn(folder);
  expect(types).toBe(await typesIn(project));
  expect(types).toMatch(/^\/\/ Generated from openapi\.yaml by `npm run generate`\. Do not edit/);
  expect(types).toContain('id: bigint;');
  expect(types).toContain('error: number;');
});

test.each([
  ['that may be null is a bigint or null', "type: [integer, 'null']", 'id: bigint | null;'],
  ['that may be a text is a bigint or a string', 'type: [integer, string]', 'id: bigint | string;'],
  ['of an enum keeps its literals', 'enum: [1, 2]\n              type: integer', 'id: 1 | 2;'],
  [
    'of an enum beyond 2^53 is a bigint',
    'enum: [1, 9007199254740993]\n              type: integer',
    'id: bigint;',
  ],
])('an int64 %s', async (_what, type, generated) => {
  const folder = await makeCopy((contract) =>
    contract.replace(/type: integer(\s+format: int64)/, (_match, format: string) => type + format),
  );
  expect((await generate(folder)).code).toBe(0);
  expect(await typesIn(folder)).toContain(generated);
});

test('a member that is required and not described has a type', async () => {
  const schema = '{ type: object, required: [undescribed, name], properties: { name: { type: string } } }';
  const responses = `{ '200': { description: Fine, content: { application/json: { schema: ${schema} } } } }`;
  const folder = await makeCopy(withMore([`/a: { get: { security: [], responses: ${responses} } }`]));
  expect((await generate(folder)).code).toBe(0);
  expect(await typesIn(folder)).toContain('undescribed: unknown;');
});

test('operations of webhooks and components, which have no handler, leave the names of the others alone', async () => {
  const operation = "{ operationId: createThing, responses: { '204': { description: none } } }";
  const spare = `{ get: ${operation}, put: ${operation} }`;
  const webhooks = `webhooks: { '': ${spare}, told: ${spare} }\n`;
  const folder = await makeCopy((contract) =>
    contract.replace(
      /^components:\n/m,
      `${webhooks}components:\n  pathItems: { '': ${spare}, Told: ${spare} }\n`,
    ),
  );
  expect((await generate(folder)).code).toBe(0);
  expect((await typesIn(folder)).match(/^ {4}createThing: \{$/gm)).toHaveLength(1);
});

test('a client names each operation apart, also those whose names it uses itself', async () => {
  const item = (id: string) =>
    `{ get: { operationId: ${id}, security: [], responses: { '204': { description: none } } } }`;
  const folder = await makeCopy((contract) =>
    contract.replace(/^paths:\n/m, `paths:\n  /one: ${item('Contract')}\n  /other: ${item('_Contract')}\n`),
  );
  expect((await generate(folder)).code).toBe(0);
  const client = await readFile(join(folder, 'generated/client.ts'), 'utf8');
  expect(client).toContain('export const __Contract: Operation<"Contract">');
  expect(client).toContain('export const _Contract: Operation<"_Contract">');
  expect(client).toContain('Contract: __Contract, _Contract: _Contract');
});

test('a client must send a parameter whose default its operation takes away', async () => {
  const limit = (rest: string) =>
    `parameters: [{ name: limit, in: query, required: true, schema: { type: integer${rest} } }]`;
  const operation = (id: string, rest = '') =>
    `{ operationId: ${id}, security: [], ${rest} responses: { '204': { description: none } } }`;
  const folder = await makeCopy((contract) =>
    contract.replace(
      /^paths:\n/m,
      `paths:\n  /many:\n    ${limit(', default: 10')}\n    get: ${operation('listMany')}\n    put: ${operation('setMany', `${limit('')},`)}\n`,
    ),
  );
  expect((await generate(folder)).code).toBe(0);
  const client = await readFile(join(folder, 'generated/client.ts'), 'utf8');
  expect(client).toContain('"listMany": { query: "limit" };');
  expect(client).not.toContain('"setMany": {');
});

test('an operation without an operationId has the name of its method and path', async () => {
  const folder = await makeCopy((contract) => contract.replace('      operationId: createThing\n', ''));
  expect((await generate(folder)).code).toBe(0);
  expect(await typesIn(folder)).toContain('    postThings: {');
});

test('a contract in several files has the types of all', async () => {
  const folder = await makeCopy((contract) =>
    contract.replaceAll('#/components/schemas/NewThing', './new-thing.yaml'),
  );
  await writeFile(
    join(folder, 'new-thing.yaml'),
    'type: object\nproperties: { size: { type: integer, format: int64 } }',
  );
  expect((await generate(folder)).code).toBe(0);
  expect(await typesIn(folder)).toContain('size?: bigint;');
});

test('--check names the stale file, exits 1 and writes nothing', async () => {
  const folder = await makeCopy((contract) => contract.replace('tag:\n', 'label:\n'));
  const { code, output } = await generate(folder, '--check');
  expect(code).toBe(1);
  expect(output).toBe('generated/openapi.ts is stale\nrun `npm run generate` and commit the result');
  expect(await typesIn(folder)).toBe(await typesIn(project));
});

test.each([
  [
    'a reference to nothing',
    ['schemas/NewThing', 'schemas/NewPlnt'],
    /^openapi\.yaml:42:21 `.*NewPlnt` does not resolve; correct the reference/,
  ],
  ['YAML that is broken', ['tags: [things]', 'tags: [things'], /^openapi\.yaml:\d+:\d+ is not valid YAML: /],
  [
    'a security scheme that is not there',
    ['  - bearerAuth: []', '  - basicAuth: []'],
    /^openapi\.yaml:22:5 .*basicAuth/,
  ],
])(
  '%s gets file, line and reason, and leaves generated/ unchanged',
  async (_what, [from = '', to = ''], place) => {
    const folder = await makeCopy((contract) => contract.replace(from, to));
    const { code, output } = await generate(folder);
    expect(code).toBe(1);
    expect(output).toMatch(place);
    expect(output).not.toContain('node_modules');
    expect(await typesIn(folder)).toBe(await typesIn(project));
  },
);

const answers = "responses: { '200': { description: Fine } }";
const templated = (path: string, name: string) =>
  `${path}: { get: { parameters: [{ name: ${name}, in: path, required: true, schema: {} }], ${answers} } }`;

/** The contract with these paths before its own, from line 27 on, and these schemas. */
const withMore =
  (paths: readonly string[], schemas: readonly string[] = []) =>
  (contract: string): string =>
    contract
      .replace('paths:\n', `paths:\n${paths.map((path) => `  ${path}\n`).join('')}`)
      .replace('    NewThing:\n', `${schemas.map((schema) => `    ${schema}\n`).join('')}    NewThing:\n`);

/** A body of this schema, in one line. */
const taking = (schema: string) =>
  `post: { requestBody: { content: { application/json: { schema: ${schema} } } }, ${answers} }`;

const NO_DOCUMENT =
  'openapi.yaml:1:1 cannot be served: openapi.yaml is not an OpenAPI document of version 3.0, 3.1 or 3.2';
const NOWHERE = 'does not resolve; correct the reference, or add its target';
const circle = ["A: { $ref: '#/components/schemas/B' }", "B: { $ref: '#/components/schemas/A' }"];
const named = (path: string, id: string) => `${path}: { get: { operationId: ${id}, ${answers} } }`;

test.each<[what: string, edit: (contract: string) => string, problems: string[]]>([
  ['an empty file', () => '', [NO_DOCUMENT]],
  ['a list', () => '[]', [NO_DOCUMENT]],
  ['a document without a version', (contract) => contract.replace('openapi: 3.1.0\n', ''), [NO_DOCUMENT]],
  [
    'a document of Swagger 2',
    (contract) => contract.replace('openapi: 3.1.0', "swagger: '2.0'"),
    [
      'openapi.yaml:1:1 cannot be served: openapi.yaml is of OpenAPI 2.0, which is not served; convert it to 3.0, 3.1 or 3.2',
    ],
  ],
  [
    'security that is not understood',
    (contract) => contract.replace('  - bearerAuth: []', '  - bearerAuth'),
    [
      'openapi.yaml:1:1 cannot be served: the `security` of the document is not a list of requirements; write one such as `- bearerAuth: []`, or `[]` for none',
    ],
  ],
])('%s gets place, reason and remedy, and nothing else', async (_what, edit, problems) => {
  const folder = await makeCopy(edit);
  const { code, output } = await generate(folder);
  expect(output.split('\n')).toEqual(problems);
  expect(code).toBe(1);
  expect(await typesIn(folder)).toBe(await typesIn(project));
});

const warningsIn = (output: string): string[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('warning: '))
    .map((line) => line.slice('warning: '.length));

test('circular references do not resolve, also between files, and neither do references to an empty file', async () => {
  const warn = async (folder: string) => warningsIn((await generate(folder)).output);
  const inPart = 'openapi.yaml could not be checked in full: Self-referencing circular pointer';
  expect(await warn(await makeCopy(withMore([], circle)))).toEqual([
    inPart,
    `openapi.yaml:207:16 \`#/components/schemas/B\` ${NOWHERE}`,
    `openapi.yaml:208:16 \`#/components/schemas/A\` ${NOWHERE}`,
  ]);
  const folder = await makeCopy(withMore([], ["A: { $ref: './a.yaml#/a' }"]));
  await writeFile(join(folder, 'a.yaml'), "a:\n  $ref: './openapi.yaml#/components/schemas/A'");
  expect(await warn(folder)).toEqual([
    inPart,
    `openapi.yaml:207:16 \`#/components/schemas/a\` ${NOWHERE}`,
    `a.yaml:2:9 \`#/components/schemas/A\` ${NOWHERE}`,
  ]);
  await writeFile(join(folder, 'a.yaml'), 'null');
  expect(await warn(folder)).toEqual([`openapi.yaml:207:16 \`a.yaml#/a\` ${NOWHERE}`]);
});

test('misspelt words are refused with the words that were meant, unless package.json allows them', async () => {
  const folder = await makeCopy((contract) =>
    contract.replace('      tags: [th', '      tagz: [th').replace('type: string', 'type: strng'),
  );
  const { code, output } = await generate(folder);
  expect(code).toBe(1);
  expect(output).toContain(
    'openapi.yaml:30:7 Property `tagz` is not expected here (did you mean `tags`?); correct',
  );
  expect(output).toMatch(/^openapi\.yaml:\d+:\d+ `type` can be .* \(did you mean `string`\?\); correct/m);
  expect(output.split('\n')).toHaveLength(2);
  await writeFile(join(folder, 'package.json'), '{ "trellis": { "allowTypos": true } }');
  const allowed = await generate(folder);
  expect(allowed.code).toBe(0);
  expect(allowed.output).toContain('warning: openapi.yaml:30:7 Property `tagz` is not expected here');
});

test.each<[what: string, edit: (contract: string) => string, warnings: string[]]>([
  [
    'a member that OpenAPI does not have',
    (contract) => contract.replace('      tags: [th', '      colour: [th'),
    [
      '30:7 Property `colour` is not expected here; see the OpenAPI specification for the members allowed here',
    ],
  ],
  [
    'a document without paths',
    (contract) => contract.replace(/^paths:.*(?=^components:)/ms, ''),
    ['1:1 has no paths, so it serves no operations; add them'],
  ],
  [
    'a document without operations',
    (contract) => contract.replace(/^paths:.*(?=^components:)/ms, 'paths: {}\n'),
    ['26:1 has no operations, so nothing is served; add them'],
  ],
  [
    'a document without operations whose webhook refers to nothing',
    (contract) =>
      contract.replace(
        /^paths:.*(?=^components:)/ms,
        "webhooks: { a: { $ref: '#/components/pathItems/Nothing' } }\n",
      ),
    [
      '1:1 has no paths, so it serves no operations; add them',
      `26:24 \`#/components/pathItems/Nothing\` ${NOWHERE}`,
    ],
  ],
  [
    'what OpenAPI 3.2 adds to parameters and responses',
    (contract) =>
      withMore([
        `/a: { get: { operationId: a, parameters: [{ name: all, in: querystring, content: { application/json: { schema: {} } } }], ${answers} } }`,
        `/b: { get: { operationId: b, parameters: [{ name: b, in: cookie, style: cookie, schema: {} }], ${answers} } }`,
        "/c: { get: { operationId: c, security: [], responses: { '200': { summary: Fine } } } }",
      ])(contract.replace('openapi: 3.1.0', 'openapi: 3.2.0')),
    [],
  ],
  ['a version that is a number', (contract) => contract.replace('openapi: 3.1.0', 'openapi: 3.1'), []],
  [
    'a path item by reference with additional operations',
    (contract) =>
      withMore([`/a: { $ref: '#/components/pathItems/A', put: { ${answers} } }`])(contract).replace(
        'components:\n',
        `components:\n  pathItems:\n    A: { get: { operationId: a, ${answers} } }\n`,
      ),
    [],
  ],
  [
    'two operations whose handlers would be one file',
    withMore([named('/a', 'delete-thing'), named('/b', 'deleteThing')]),
    [
      '28:9 the handler of deleteThing is deleteThing2 in src/handlers/delete-thing-2.ts, because another file or handler has its name; give it another operationId',
    ],
  ],
  [
    'an operation whose handler would be a file that is not a handler',
    withMore([named('/a', 'problems')]),
    [
      '27:9 the handler of problems is problems in src/handlers/problems-2.ts, because another file or handler has its name; give it another operationId',
    ],
  ],
  [
    'no security',
    (contract) => contract.replace('security:\n  - bearerAuth: []\n', ''),
    [
      '26:5 POST /things declares no `security`, so it needs no credentials; write `security: []` if that is meant',
    ],
  ],
  [
    'paths that no request can tell apart',
    withMore([templated('/a/{x}', 'x'), templated('/a/{y}', 'y')]),
    [
      '28:13 GET /a/{y} is left out: no request can tell it from an operation before it, whose path differs by the name of a parameter only; make them one',
    ],
  ],
  [
    'one name for two operations',
    withMore([named('/twice', 'createThing')]),
    [
      '29:5 POST /things is called postThings, because GET /twice is called createThing; change the operationId of either (the other is at openapi.yaml:27:13)',
    ],
  ],
  [
    'a path parameter that is not declared, and one that its path does not have',
    withMore([
      `/a/{x}: { get: { parameters: [{ name: y, in: path, required: true, schema: {} }], ${answers} } }`,
    ]),
    [
      '27:20 GET /a/{x} the path has no {y}: remove the parameter, or add it to the path',
      '27:13 GET /a/{x} x a path parameter is not declared, and read as a text; declare it, or correct its name',
    ],
  ],
  [
    'a file that is declared as a text',
    withMore([
      `/a: { post: { requestBody: { content: { multipart/form-data: { encoding: { cover: { contentType: image/png } }, schema: { type: object, properties: {
      file: { type: string }, purpose: { type: string }, profile: { type: string }, cover: { type: string },
      imageFile: { type: string, format: binary }, file_type: { enum: [file] } } } } } }, ${answers} } }`,
    ]),
    ['28:7 `file`', '28:85 `cover`'].map(
      (what) =>
        `${what} seems to be a file, but its schema is a text: the handler gets a text, or bytes if the file is not UTF-8; write \`format: binary\``,
    ),
  ],
  [
    'an example that does not fit its schema',
    withMore(
      [
        `/a: { get: { responses: { '200': { description: '', content: { application/json: { example: { id: x },
        schema: { $ref: '#/components/schemas/Example' } }, application/problem+json: { example: /a/7, schema: { type: string, format: uri } }, text/plain: { example: 7, schema: { type: string } } } } } } }`,
      ],
      [
        'Example: { type: object, properties: { id: { type: integer, example: 1.5 }, at: { type: string, writeOnly: true } }, required: [at], examples: [{ id: 1 }, { id: 2, at: x }, 7] }',
      ],
    ),
    [
      '209:65 example must be an integer, so stubs do not send it; correct it, or its schema',
      '209:178 example must be an object, so stubs do not send it; correct it, or its schema',
      '27:86 example.id must be an integer, so stubs do not send it; correct it, or its schema',
    ],
  ],
])('%s gets a warning, and is served', async (_what, edit, warnings) => {
  const { code, output } = await generate(await makeCopy(edit));
  const ofContract = warningsIn(output).filter((line) => !line.startsWith('src/handlers/'));
  expect(ofContract).toEqual(warnings.map((warning) => `openapi.yaml:${warning}`));
  expect(code).toBe(0);
});

test('the handler of an operation that was removed is named, and files beside the handlers are not', async () => {
  const folder = await makeCopy();
  const write = (file: string, text: string) => writeFile(join(folder, 'src/handlers', file), text);
  await write(
    'get-tags.ts',
    `export const getTags = (_needs: unknown): Handler<'getTags'> => async () => {};`,
  );
  await write('pages.ts', `type Reply = OperationReply<'createThing'>;`);
  await write('names.ts', 'export const names = new Map<string, Handler>();');
  expect(warningsIn((await generate(folder)).output)).toEqual([
    'src/handlers/get-tags.ts: openapi.yaml has no operation getTags; delete src/handlers/get-tags.ts',
  ]);
});

test('an owner says who sends requests, in src/principal.ts', async () => {
  const folder = await makeCopy();
  await generate(folder);
  const bindings = () => readFile(join(folder, 'generated/handler.ts'), 'utf8');
  expect(await bindings()).toContain('readonly principal: server.Principal;');
  await writeFile(join(folder, 'src/principal.ts'), 'export interface Principal {}');
  await generate(folder);
  expect(await bindings()).toMatch(
    /import type \{ Principal \} from "\.\.\/src\/principal\.ts";[\s\S]*readonly principal: Principal;/,
  );
});

test('the same contract has the same types in 3.0, 3.1 and 3.2', async () => {
  const withSchema = (schema: string) => withMore([], [`Extra: ${schema}`]);
  const typesOf = async (edit: (contract: string) => string) => {
    const folder = await makeCopy(edit);
    expect((await generate(folder)).code).toBe(0);
    return Promise.all([typesIn(folder), readFile(join(folder, 'src/handlers.ts'), 'utf8')]);
  };
  const modern =
    "{ properties: { a: { type: [string, 'null'] }, b: { type: number, exclusiveMinimum: 1 } } }";
  const old =
    '{ properties: { a: { type: string, nullable: true }, b: { type: number, minimum: 1, exclusiveMinimum: true } } }';
  const types = await typesOf(withSchema(modern));
  expect(types[0]).toContain('a?: string | null;');
  expect(
    await typesOf((contract) => withSchema(old)(contract.replace('openapi: 3.1.0', 'openapi: 3.0.4'))),
  ).toEqual(types);
  expect(
    await typesOf((contract) => withSchema(modern)(contract.replace('openapi: 3.1.0', 'openapi: 3.2.0'))),
  ).toEqual(types);
});

test('--strict takes warnings for errors, and writes nothing', async () => {
  const folder = await makeCopy(withMore([named('/a', 'problems')]));
  const { code, output } = await generate(folder, '--strict');
  expect(code).toBe(1);
  expect(output).toContain('openapi.yaml:27:9 the handler of problems');
  expect(await typesIn(folder)).toBe(await typesIn(project));
});

test('many complaints of a kind are one line with their count', async () => {
  const paths = Array.from(
    { length: 40 },
    (_, index) => `/a${index}: { get: { security: [], spare: 1, ${answers} } }`,
  );
  const { output } = await generate(await makeCopy(withMore(paths)));
  expect(warningsIn(output)).toEqual([
    expect.stringMatching(
      /^openapi\.yaml:27:31 40 times: Property `spare` is not expected here; .* and 30 more\)$/,
    ),
  ]);
});

test('an operation that depends on a missing part is left out and named', async () => {
  const folder = await makeCopy(
    withMore([
      `/anchor: { ${taking("{ $ref: '#missing' }")} }`,
      `/file: { ${taking('{ $ref: ./missing.yaml }')} }`,
      `/other: { ${taking('{ $ref: ./parts/thing.yaml }')} }`,
      `/url: { ${taking("{ $ref: 'https://example.com/thing.json' }")} }`,
    ]),
  );
  await mkdir(join(folder, 'parts'));
  await writeFile(join(folder, 'parts/thing.yaml'), 'type: object\nproperties:\n  a: { $ref: b.yaml }');
  const { code, output } = await generate(folder);
  expect(code).toBe(0);
  const lines = warningsIn(output).map((line) => line.replace(/; correct the reference.*/, ''));
  expect(
    lines.filter((line) => line.includes('does not resolve') && !line.includes('left out')),
  ).toHaveLength(1);
  expect(lines.filter((line) => line.includes('left out'))).toEqual([
    expect.stringMatching(/ 4 times: is left out: .*POST \/anchor, POST \/file, POST \/other, POST \/url\)$/),
  ]);
  expect(await typesIn(folder)).not.toContain('postAnchor');
});

test.each<[what: string, ref: string, named: string]>([
  [
    'a component',
    '#/components/schemas/NewThng',
    '`#/components/schemas/NewThng` (did you mean `#/components/schemas/NewThing`?)',
  ],
  [
    'a kind of components',
    '#/components/schema/NewThing',
    '`#/components/schema/NewThing` (did you mean `#/components/schemas/NewThing`?)',
  ],
  [
    'a component in the place where Swagger 2 has it',
    '#/definitions/NewThing',
    '`#/definitions/NewThing` (did you mean `#/components/schemas/NewThing`?)',
  ],
  ['a file', './parts/colr.yaml', '`parts/colr.yaml` (did you mean `parts/color.yaml`?)'],
  [
    'a part of a file',
    './parts/color.yaml#/darkr',
    '`parts/color.yaml#/darkr` (did you mean `parts/color.yaml#/darker`?)',
  ],
  ['nothing that is like it', '#/components/schemas/Zebra', '`#/components/schemas/Zebra`'],
])('a reference with a typo gets its line and a suggestion: %s', async (_case, ref, named) => {
  const folder = await makeCopy(withMore([`/a: { ${taking(`{ $ref: '${ref}' }`)} }`]));
  await mkdir(join(folder, 'parts'));
  await writeFile(join(folder, 'parts/color.yaml'), 'type: string\ndarker: { type: string }\n');
  const { output } = await generate(folder);
  const [line = ''] = warningsIn(output).filter((each) => each.includes(' does not resolve'));
  expect(line).toBe(
    `openapi.yaml:27:${line.split(':')[2]?.split(' ')[0]} ${named} does not resolve; correct the reference, or add its target`,
  );
});

test('only operations of paths need handlers, and anchors lead to their types', async () => {
  const item = (id: string) => `{ get: { operationId: ${id}, ${answers} } }`;
  const folder = await makeCopy((contract) =>
    withMore(
      [
        "/a: { $ref: '#/components/pathItems/Shared' }",
        "/b: { $ref: '#/components/pathItems/Shared' }",
        templated('/c/{x}/d', 'x'),
        templated('/c/e/{y}', 'y'),
      ],
      [
        "Holder: { type: object, properties: { of: { $ref: '#the-id' } } }",
        'Id: { $anchor: the-id, type: string }',
      ],
    )(contract)
      .replace('paths:\n', `webhooks:\n  happened: ${item('happened')}\npaths:\n`)
      .replace(
        'components:\n',
        `components:\n  pathItems:\n    Shared: { get: { ${answers} } }\n    Spare: ${item('spare')}\n`,
      )
      .replace(
        '      operationId: createThing\n',
        (line) => `${line}      callbacks: { done: { '{$request.body#/url}': ${item('done')} } }\n`,
      ),
  );
  const { code, output } = await generate(folder);
  expect(code).toBe(0);
  expect(output.split('\n').filter((line) => line.includes('stub'))).toEqual([
    'src/handlers/get-a.ts written, a stub for GET /a',
    'src/handlers/get-b.ts written, a stub for GET /b',
    'src/handlers/get-c-by-xd.ts written, a stub for GET /c/{x}/d',
    'src/handlers/get-ce-by-y.ts written, a stub for GET /c/e/{y}',
  ]);
  const types = await typesIn(folder);
  const [, operations = ''] = types.split('export interface operations {\n');
  const ids = [...operations.matchAll(/^ {4}(\w+): \{$/gm)].map(([, id]) => id);
  expect(ids.slice(0, 5)).toEqual(['getA', 'getB', 'getCByXD', 'getCEByY', 'createThing']);
  expect(types).toContain('of?: components["schemas"]["Id"];');
});

const KEYS = `import { createHandlers } from './src/handlers.ts';
console.log(Object.keys(createHandlers({})).join('\\n'));
`;

const FREE_FORM = `import type { Handler } from '../../generated/handler.ts';

export const setLabels =
  (_needs: unknown): Handler<'setLabels'> =>
  async ({ body }) => ({ status: 200, body: { ...body, colour: body?.colour ?? 'green', size: 2 } });
`;

describe('in a project with many unusual operations', () => {
  const ids = [
    ...['stub', 'needs', 'createHandlers', 'Handlers', 'Handler', 'arguments', 'eval', "it's", 'a"b'],
    ...['__proto__', 'constructor', 'toString'],
  ];
  const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
  const replies = (schema: string) => `responses: { '200': { description: Fine, ${json(schema)} } }`;
  const free = '{ type: object }';
  const size = '{ type: object, properties: { size: { type: integer } } }';
  const inPath = "'#/paths/~1a/put/requestBody/content/application~1json/schema/properties/size'";

  let folder: string;
  let compiled: { code: number | null; output: string };
  beforeAll(async () => {
    folder = await makeFolder();
    await copyProject(folder, ['generated', 'src', 'package.json', 'tsconfig.json']);
    const edit = withMore([
      ...ids.map((id, index) => named(`/${index}`, JSON.stringify(id))),
      named('"/star*/x"', 'starred'),
      `/labels: { put: { operationId: setLabels, requestBody: { ${json(free)} }, ${replies(free)} } }`,
      `/a: { put: { requestBody: { ${json(size)} }, ${answers} } }`,
      `/b: { get: { ${replies(`{ $ref: ${inPath} }`)} } }`,
    ]);
    await writeFile(join(folder, 'openapi.yaml'), edit(await readFile(join(ROOT, 'openapi.yaml'), 'utf8')));
    await writeFile(join(folder, 'src/handlers/set-labels.ts'), FREE_FORM);
    expect((await generate(folder)).code).toBe(0);
    compiled = await run(folder, join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit');
  }, 180_000);

  test('stubs compile and are registered, whatever their operations and paths are called', async () => {
    expect(compiled).toEqual({ code: 0, output: '' });
    await writeFile(join(folder, 'keys.ts'), KEYS);
    const { stdout } = spawnSync(process.execPath, [TSX, '--conditions=source', 'keys.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(
      stdout
        .trim()
        .split('\n')
        .slice(0, ids.length + 1),
    ).toEqual([...ids, 'starred']);
  });

  test('an object without declared properties may have any, in requests and replies', async () => {
    expect(compiled).toEqual({ code: 0, output: '' });
    expect(await readFile(join(folder, 'src/handlers/set-labels.ts'), 'utf8')).toBe(FREE_FORM);
  });

  test('a schema may refer into the operation of another path', async () => {
    expect(compiled).toEqual({ code: 0, output: '' });
    expect(await typesIn(folder)).toContain('components["schemas"]["InPath1"]');
  });
});

test('a keyword that means nothing is ignored with a warning at its place, in whichever file', async () => {
  const folder = await makeCopy((contract) =>
    withMore(
      ["/a: { get: { responses: { '2xx': { description: Fine } } } }"],
      ["A: { $ref: './a.yaml' }", "B: { type: string, pattern: '(' }"],
    )(contract),
  );
  await writeFile(
    join(folder, 'a.yaml'),
    [
      'properties:',
      "  b: { pattern: '^[\\w-.]+$' }",
      '  c: { enum: [] }',
      '  d: { oneOf: [] }',
      '  f: { multipleOf: 0 }',
      '  g: { type: picture }',
    ].join('\n'),
  );
  const { code, output } = await generate(folder);
  expect(code).toBe(0);
  expect(
    warningsIn(output)
      .map((line) => line.replace(/[:;,] .*/, ''))
      .toSorted(),
  ).toEqual([
    'a.yaml:3:8 `enum` is ignored',
    'a.yaml:4:8 `oneOf` is ignored',
    'a.yaml:5:8 `multipleOf` is ignored',
    'a.yaml:6:14 `type` can be one of the following only',
    'a.yaml:6:8 `type` is ignored',
    'openapi.yaml:209:33 `pattern` is ignored',
    'openapi.yaml:27:29 GET /a no reply has the status 2xx',
  ]);
});

test('a default that its schema does not accept is not used, with a warning at its place, in whichever file', async () => {
  const limited = (schema: string) => `{ name: limit, in: query, schema: ${schema} }`;
  const query = (path: string, schema: string) =>
    `${path}: { get: { parameters: [${limited(schema)}], ${answers} } }`;
  const folder = await makeCopy(
    withMore([
      query('/a', '{ type: integer, minimum: 1, default: 0 }'),
      query('/b', "{ $ref: './a.yaml#/sort', default: left }"),
      query('/c', '{ type: integer, format: int64, default: 9223372036854775807 }'),
      `/d: { ${taking("{ $ref: './a.yaml#/whole' }")} }`,
    ]),
  );
  await writeFile(
    join(folder, 'a.yaml'),
    [
      'sort: { type: string, enum: [up, down], default: up }',
      'whole:',
      '  properties:',
      '    size: { type: object, required: [x], properties: { x: { type: number } }, default: { y: 1 } }',
      '    name: { type: string, default: null }',
    ].join('\n'),
  );
  const { code, output } = await generate(folder);
  expect(code).toBe(0);
  expect(warningsIn(output)).toEqual(
    [
      'openapi.yaml:27:101 default must be >= 1',
      'openapi.yaml:28:98 default must be one of ["up","down"]',
      'a.yaml:4:88 default.x is required',
      'a.yaml:5:36 default must be a string',
    ].map((line) => `${line}, and is ignored; correct the default, or its schema`),
  );
});

test('scopes and roles are accepted, whatever the type of their scheme', async () => {
  const folder = await makeCopy((contract) =>
    withMore([`/a: { get: { security: [{}, { bearerAuth: [admin, write] }], ${answers} } }`])(
      contract.replace('  - bearerAuth: []', '  - bearerAuth: [admin]'),
    ),
  );
  const { code, output } = await generate(folder);
  expect(code).toBe(0);
  expect(output).not.toContain('scopes');
});

test('a reference where OpenAPI allows none gets a warning at its place, and the types of its target', async () => {
  const folder = await makeCopy(withMore(['/a: { get: { $ref: ./get-a.yaml } }']));
  await writeFile(
    join(folder, 'get-a.yaml'),
    'operationId: readA\nresponses: { default: { description: Any, content: { application/json: { schema: { $ref: parts.yaml#/Part } } } } }',
  );
  await writeFile(
    join(folder, 'parts.yaml'),
    'Part: { type: object, properties: { size: { type: integer }, message: { type: string } } }',
  );
  const { code, output } = await generate(folder);
  expect(code).toBe(0);
  expect(warningsIn(output)).toEqual([
    expect.stringMatching(/^openapi\.yaml:27:\d+ OpenAPI allows no `\$ref` here; its target is served/),
  ]);
  expect(output).toContain('src/handlers/read-a.ts written, a stub for GET /a');
  expect(await typesIn(folder)).toContain('components["schemas"]["Part"]');
});

test('a scheme that the service cannot check gets a warning', async () => {
  const folder = await makeCopy((contract) =>
    withMore([
      `/a: { get: { security: [{ digest: [] }], ${answers} } }`,
      `/b: { get: { security: [{ mutual: [] }, { bearerAuth: [] }], ${answers} } }`,
      `/c: { get: { security: [{ bearerAuth: [], digest: [] }, { mutual: [] }], ${answers} } }`,
      `/d: { get: { security: [{ digest: [] }, {}], ${answers} } }`,
    ])(
      contract.replace(
        '  securitySchemes:\n',
        '  securitySchemes:\n    digest: { type: http, scheme: Digest }\n    mutual: { type: mutualTLS }\n    unused: { type: mutualTLS }\n',
      ),
    ),
  );
  const { code, output } = await generate(folder);
  expect(code).toBe(0);
  const remedy =
    'add an alternative of http bearer, http basic, apiKey, oauth2 or openIdConnect, or give serve an authenticator for it';
  expect(output.split('\n').filter((line) => line.includes('cannot check'))).toEqual([
    expect.stringMatching(
      `the service cannot check http digest, so no request can satisfy alternatives with digest; ${remedy}$`,
    ),
    expect.stringMatching(
      `the service cannot check mutualTLS, so no request can satisfy alternatives with mutual; ${remedy}$`,
    ),
  ]);
});

test('a pattern that a client can make slow gets a warning and is not refused', async () => {
  const folder = await makeCopy(
    withMore(
      [
        `/a: { ${taking('{ type: string, pattern: "^(a+)+$" }')} }`,
        `/b: { ${taking('{ $ref: "#/components/schemas/Texts", patternProperties: { ^x-: {}, "[ ]+$": {} } }')} }`,
        `/c: { ${taking("{ $ref: './c.yaml' }")} }`,
        `/d: { ${taking('{ type: string, pattern: "^(?=.*[A-Z])(?=.*[0-9]).{8,}$" }')} }`,
      ],
      ['Texts: { additionalProperties: { type: string, pattern: "^[a-z]+(-[a-z]+)*$" } }'],
    ),
  );
  await writeFile(join(folder, 'c.yaml'), "type: string\npattern: '^(.+)@(.+)[.](.+)$'\n");
  const remedy = 'write it so that no text can be matched in two ways, or let the handler check the text';
  const { code, output } = await generate(folder);
  expect(code).toBe(0);
  const lines = warningsIn(output);
  expect(lines).toEqual([
    `openapi.yaml:27:96 pattern ^(a+)+$ may take exponential time; ${remedy}`,
    `openapi.yaml:28:139 pattern [ ]+$ may take polynomial time; ${remedy}`,
    `c.yaml:2:10 pattern ^(.+)@(.+)[.](.+)$ may take polynomial time; ${remedy}`,
  ]);
  expect(await generate(folder, '--check')).toMatchObject({
    code: 0,
    output: expect.stringContaining(lines[0] ?? 'nothing'),
  });
});

test('a missing contract is reported', async () => {
  const folder = await makeFolder();
  const { code, output } = await generate(folder);
  expect(code).toBe(1);
  expect(output).toMatch(/^openapi\.yaml cannot be read: .*no such file/);
});

test('an existing handler is never touched, and a missing one becomes a stub', async () => {
  const folder = await makeCopy();
  const [here, gone] = ['src/handlers/create-thing.ts', 'src/handlers/read-thing.ts'].map((file) =>
    join(folder, file),
  );
  const mine = '// mine';
  await writeFile(here ?? '', mine);
  const contract = join(folder, 'openapi.yaml');
  const read = "    get: { operationId: read-thing, responses: { '204': { description: none } } }\n";
  await writeFile(
    contract,
    (await readFile(contract, 'utf8')).replace(/^ {2}\/things:\n/m, (line) => line + read),
  );
  expect(await generate(folder, '--check')).toMatchObject({
    code: 1,
    output: expect.stringContaining('src/handlers/read-thing.ts is missing'),
  });
  expect((await generate(folder)).code).toBe(0);
  expect(await readFile(here ?? '', 'utf8')).toBe(mine);
  expect(await readFile(gone ?? '', 'utf8')).toContain(`export const readThing =
  (_needs: unknown): Handler<'read-thing'> =>
  async (_request): Promise<OperationReply<'read-thing'>> =>
    stub();
`);
  expect(await readFile(join(folder, 'src/handlers.ts'), 'utf8')).toContain(
    '"read-thing": readThing(needs),',
  );
});
