import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { temporaryFolders } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GENERATED = join(ROOT, 'generated/openapi.ts');
const HANDLERS = join(ROOT, 'tests/types/virtual.ts');
const makeFolder = temporaryFolders();

const CONTRACT = `
openapi: 3.1.0
info: { title: Accounts, version: '1', license: { name: MIT, identifier: MIT } }
servers: [{ url: / }]
security: []
paths:
  /accounts:
    post:
      operationId: createAccount
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Account' } } } }
      responses:
        '200': { description: Fine, content: { application/json: { schema: { $ref: '#/components/schemas/Account' } } } }
components:
  schemas:
    Id: { type: integer, format: int64, readOnly: true }
    Account:
      type: object
      required: [id, name, secret, pair, of]
      properties:
        id: { $ref: '#/components/schemas/Id' }
        name: { type: string }
        secret: { type: string, writeOnly: true }
        limit: { type: integer, format: int64, default: 5 }
        hint: { type: string, writeOnly: true, default: none }
        pair: { type: array, prefixItems: [{ type: string }, { type: integer, format: int64 }] }
        of: { type: array, items: { type: object, required: [at], properties: { at: { type: string, readOnly: true }, by: { type: string } } } }
        parent: { $ref: '#/components/schemas/Account' }
        open: { type: object }
`;

/** What the contract above generates. */
const generated = async (): Promise<string> => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'openapi.yaml'), CONTRACT);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
  await once(spawn(process.execPath, [tsx, join(ROOT, 'scripts/generate.ts')], { cwd: folder }), 'close');
  return readFile(join(folder, 'generated/openapi.ts'), 'utf8');
};

/** Each line that must not compile says so, and nothing else does. */
const HANDLERS_TEXT = `
import type { Handler } from '../../src/contract/handler.ts';
const reply = { id: 1n, name: 'a', pair: ['a', 1n] satisfies [string, bigint], of: [{ at: 'now' }] };
export const whole: Handler<'createAccount'> = async ({ body }) => {
  const defaults: [bigint, string] = [body.limit, body.hint];
  const sent: [string, string, bigint] = [body.secret, ...body.pair];
  const inner: [string | undefined, bigint | undefined] = [body.of[0]?.by, body.parent?.limit];
  void body.id; // error: the id is the store's to give
  void body.of[0]?.at; // error: and so is this
  void body.parent?.id; // error: however deep
  return { status: 200, body: { ...reply, limit: defaults[0], name: [...sent, ...inner].join() } };
};
export const short: Handler<'createAccount'> = async () => ({ status: 200, body: reply });
export const wrong: Handler<'createAccount'> = async () => ({ status: 200, body: { ...reply, id: undefined } }); // error: a reply has an id
export const nested: Handler<'createAccount'> = async () => ({ status: 200, body: { ...reply, of: [{}] } }); // error: and this
`;

/** The lines that the compiler complains of, with types that stand in for those of this repository. */
const complaints = (types: string): number[] => {
  const { options = {} } =
    ts.getParsedCommandLineOfConfigFile(
      join(ROOT, 'tests/tsconfig.json'),
      {},
      { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
    ) ?? {};
  const host = ts.createCompilerHost(options);
  const texts = new Map([
    [GENERATED, types],
    [HANDLERS, HANDLERS_TEXT],
  ]);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = texts.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version);
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([HANDLERS], options, host))
    .map(({ file, start = 0 }) =>
      file?.fileName === HANDLERS ? file.getLineAndCharacterOfPosition(start).line + 1 : 0,
    );
};

let types: string;
beforeAll(async () => {
  types = await generated();
});

test('requests have defaults and nothing readOnly, replies nothing that they need not', () => {
  const expected = HANDLERS_TEXT.split('\n').flatMap((line, index) =>
    line.includes('// error:') ? [index + 1] : [],
  );
  expect(expected).toHaveLength(5);
  expect(complaints(types)).toEqual(expected);
});
