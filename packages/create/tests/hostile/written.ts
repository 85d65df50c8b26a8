/** Checks generated files: they parse, and run no code from the contract. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { loadDocument } from '@trellis/openapi';
import { transformSync } from 'esbuild';
import ts from 'typescript';
import { renderPage } from '../../../server/src/http/docs/page.ts';
import { createExampleRequest } from '../../../server/src/program/example-request.ts';
import { planArtifacts, UNFORESEEN } from '../../src/generate/artifacts.ts';
import { CLIENT, renderClient } from '../../src/generate/client.ts';
import { HANDLERS, HANDLERS_FOLDER } from '../../src/generate/handlers.ts';
import { TYPES } from '../../src/generate/types.ts';
import { copyContract } from '../../src/new/contract.ts';
import { renderManifest } from '../../src/new/manifest.ts';
import { writeTemplates } from '../../src/new/templates.ts';
import { samplesOf } from './samples.ts';

/** A file of TypeScript, which must have no error. */
const parse = (file: string, text: string): ts.SourceFile => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const [error]: ts.Diagnostic[] = Reflect.get(source, 'parseDiagnostics');
  if (error)
    assert.fail(
      `${file} does not parse: ${ts.flattenDiagnosticMessageText(error.messageText, ' ')}\n${text}`,
    );
  return source;
};

/** The names that are declared twice, in a module or in a type of it. */
const namedTwice = (source: ts.SourceFile): string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const members = ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node) ? node.members : [];
    const constants = ts.isSourceFile(node)
      ? node.statements.filter(ts.isVariableStatement).flatMap((each) => each.declarationList.declarations)
      : [];
    const names = [...members, ...constants].flatMap(({ name }) => {
      if (!name) return [];
      return ts.isStringLiteral(name) || ts.isIdentifier(name) ? name.text : name.getText();
    });
    found.push(...names.filter((name, index) => names.indexOf(name) < index));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const { SyntaxKind } = ts;

/** What runs when a file of TypeScript is loaded may hold these only: literals, and functions that give a constant. */
const HARMLESS = new Set([
  ...[SyntaxKind.ObjectLiteralExpression, SyntaxKind.ArrayLiteralExpression, SyntaxKind.PropertyAssignment],
  ...[SyntaxKind.StringLiteral, SyntaxKind.NumericLiteral, SyntaxKind.TrueKeyword, SyntaxKind.FalseKeyword],
  ...[SyntaxKind.NullKeyword, SyntaxKind.Identifier, SyntaxKind.ComputedPropertyName],
]);

const checkExpression = (node: ts.Node, file: string): void => {
  if (ts.isArrowFunction(node)) {
    if (node.body.getText() === 'stub()') return;
    if (ts.isArrowFunction(node.body)) {
      checkExpression(node.body, file);
      return;
    }
    const isMade = ts.isObjectLiteralExpression(node.body) || ts.isParenthesizedExpression(node.body);
    if (isMade) ts.forEachChild(node.body, (child) => checkExpression(child, file));
    else assert(ts.isIdentifier(node.body), `${file}: ${node.getText()}`);
    return;
  }
  const isCall =
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.getText().endsWith('(needs)');
  if (isCall && node.arguments.length === 1) return;
  assert(HARMLESS.has(node.kind), `${file}: ${node.getText()}`);
  ts.forEachChild(node, (child) => checkExpression(child, file));
};

/** What generated files import: files beside them, and packages of ours. */
const OUR_MODULE = /^['"](?:(?:\.\.?\/)+[a-z0-9/-]+\.ts|@trellis\/(?:client|openapi\/types|server))['"]$/;

/** Checks that a module declares types and constants, and does nothing. */
const checkModule = (file: string, text: string): void => {
  const source = parse(file, text);
  assert.deepEqual(namedTwice(source), [], `${file} names these twice`);
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      assert.match(statement.moduleSpecifier.getText(), OUR_MODULE);
      continue;
    }
    if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) continue;
    assert(ts.isVariableStatement(statement), `${file}: ${statement.getText()}`);
    for (const { name, initializer } of statement.declarationList.declarations) {
      assert(ts.isIdentifier(name) && initializer, `${file}: ${statement.getText()}`);
      checkExpression(initializer, file);
    }
  }
};

const checkTypes = (text: string): void => {
  const source = parse(TYPES, text);
  assert.deepEqual(namedTwice(source), [], `${TYPES} names these twice`);
  for (const statement of source.statements)
    if (ts.isImportDeclaration(statement)) assert.match(statement.moduleSpecifier.getText(), OUR_MODULE);
    else
      assert(
        ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement),
        statement.getText(),
      );
};

/** The functions that end every client: the same, whatever the contract says. */
const FUNCTIONS = '/** Makes a client of some operations.';
const endOf = (text: string): string => text.slice(text.lastIndexOf(FUNCTIONS));
const USUAL_END = endOf(renderClient({ openapi: '3.1.0', paths: {} }, []));

/** Checks the descriptions in a client, and that its functions are the usual ones. */
const checkClient = (text: string): void => {
  assert(USUAL_END.startsWith(FUNCTIONS));
  assert.equal(endOf(text), USUAL_END);
  checkModule(CLIENT, text.slice(0, -USUAL_END.length));
};

/** Loads the client where a contract that runs would be noticed. */
const loadClient = (text: string, ids: readonly string[]): void => {
  let hasRun = false;
  const run = (): void => {
    hasRun = true;
  };
  const module: { exports: { operations?: object } } = { exports: {} };
  const { code } = transformSync(text, { loader: 'ts', format: 'cjs' });
  runInNewContext(code, { module, require: () => ({}), __ran: run }, { timeout: 10_000 });
  assert(!hasRun, 'the client has run code from the contract');
  assert.deepEqual(Object.keys(module.exports.operations ?? {}).sort(), [...new Set(ids)].sort());
};

/** The kinds of all that is in a module: the same, whatever a text in it says. */
const kindsIn = (text: string): number[] => {
  const kinds: number[] = [];
  const visit = (node: ts.Node): void => {
    kinds.push(node.kind);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest));
  return kinds;
};

const PACKAGE = {
  name: 'thing',
  title: 'Thing',
  packages: { '@trellis/server': '1.0.0' },
  store: 'sqlite' as const,
  sends: false,
  hasTypos: false,
};

const readAll = async (folder: string): Promise<Map<string, string>> => {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return new Map(
    await Promise.all(
      files.sort().map(async (file) => [file.slice(folder.length), await readFile(file, 'utf8')] as const),
    ),
  );
};

const renderTemplates = async (folder: string, title: string): Promise<Map<string, string>> => {
  await writeTemplates(folder, { name: 'thing', command: 'thing', title, store: 'sqlite', registry: false });
  const written = await readAll(folder);
  await rm(folder, { recursive: true });
  return written;
};

/** The rendered templates for a plain title, and the titles tried so far. */
let usual: Map<string, string> | undefined;
const titles = new Set<string>();

/** Checks what `npm run new` writes beside what `npm run generate` does. */
const checkProject = async (folder: string): Promise<void> => {
  const target = join(folder, 'new');
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  const copied = await copyContract(join(folder, 'openapi.yaml'), target).catch((error: unknown) => {
    assert(error instanceof Error, String(error)); // a file that is not there, say
    return undefined;
  });
  await rm(target, { recursive: true });
  const title = copied ?? 'thing';
  const made = JSON.parse(renderManifest({ ...PACKAGE, title }));
  const plain = JSON.parse(renderManifest(PACKAGE));
  assert.deepEqual({ ...made, description: '' }, { ...plain, description: '' });
  if (titles.has(title)) return;
  titles.add(title);
  usual ??= await renderTemplates(target, 'Thing');
  const written = await renderTemplates(target, title);
  assert.deepEqual([...written.keys()], [...usual.keys()]);
  for (const [file, text] of written) {
    if (file.endsWith('.ts'))
      assert.deepEqual(kindsIn(text), kindsIn(usual.get(file) ?? ''), `${file}\n${text}`);
    else assert.equal(text.split('\n').length, usual.get(file)?.split('\n').length, `${file}\n${text}`);
  }
};

/** Texts that are checked together by an external program. */
const python: string[] = [];
const commands: string[] = [];

/** What only a shell can tell: each command calls curl once, and nothing else. */
const checkCommands = (commands: readonly string[]): void => {
  const input = `curl() { echo called; }\n${commands.join('\n')}\n`;
  // A terminal acts on control characters before a shell quotes them.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
  for (const command of commands) assert.doesNotMatch(command, /[\0-\x08\x0b-\x1f\x7f]/);
  const { stdout, stderr } = spawnSync('bash', ['-s'], { input, encoding: 'utf8', env: {} });
  assert.equal(stderr, '', `${stderr}\n${commands.join('\n')}`);
  assert.equal(stdout, 'called\n'.repeat(commands.length), commands.join('\n'));
  assert(!existsSync('RAN'), commands.join('\n'));
};

const checkTitle = (title: string): void => {
  const page = renderPage(title, (file) => file);
  const usual = renderPage('', (file) => file);
  assert.equal(page.replace(/<title>[^<]*<\/title>/, '<title></title>'), usual);
};

/** Checks the shell commands and the code that the service and its API reference show for the contract. */
const checkReference = async (): Promise<void> => {
  const document = await loadDocument('openapi.yaml');
  checkTitle(document.info.title);
  const samples = samplesOf(document);
  for (const { typescript } of samples) parse('a sample', typescript);
  python.push(...samples.map((sample) => sample.python));
  const example = createExampleRequest(document, 'http://127.0.0.1:3000', { name: 'x', token: 'y' });
  commands.push(...(example ? [example.command] : []), ...samples.map(({ curl }) => curl));
};

/** Runs both commands on the contract in the current folder, and checks the files that they write. */
export const checkDocument = async (folder: string): Promise<'written' | 'refused'> => {
  const { problems, warnings, stale, stubs } = await planArtifacts();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would act on them
  for (const line of [...problems, ...warnings]) assert.doesNotMatch(line, /[\0-\x1f\x7f-\x9f\u2028\u2029]/);
  for (const line of problems) assert(!line.includes(UNFORESEEN), line);
  await checkProject(folder);
  if (problems.length > 0) return 'refused';
  const text = new Map(stale.map((artifact) => [artifact.file, artifact.text]));
  checkTypes(text.get(TYPES) ?? '');
  checkClient(text.get(CLIENT) ?? '');
  loadClient(
    text.get(CLIENT) ?? '',
    stubs.map(({ id }) => id),
  );
  checkModule(HANDLERS, text.get(HANDLERS) ?? '');
  for (const stub of stubs) {
    assert.equal(dirname(stub.file), HANDLERS_FOLDER);
    assert.match(basename(stub.file), /^[a-z0-9-]{1,100}\.ts$/);
    checkModule(stub.file, stub.text);
  }
  await checkReference();
  return 'written';
};

/** Checks the commands and the code for Python that were collected, all at once, where there is Python. */
export const checkCollected = (): void => {
  checkCommands(commands.splice(0));
  const script = `
import ast, json, sys
KNOWN = {'Module', 'Import', 'alias', 'Assign', 'Name', 'Store', 'Load', 'Expr', 'Call', 'Attribute', 'Constant', 'keyword', 'Dict', 'List', 'UnaryOp', 'USub'}
CALLED = {'print', 'open', 'get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'request', 'encode'}
for text in json.load(sys.stdin):
    for node in ast.walk(ast.parse(text)):
        assert type(node).__name__ in KNOWN, (text, ast.dump(node))
        if isinstance(node, ast.Call):
            assert getattr(node.func, 'id', getattr(node.func, 'attr', '')) in CALLED, (text, ast.dump(node))
print('parsed')
`;
  const { stdout, stderr, error } = spawnSync('python3', ['-c', script], {
    input: JSON.stringify(python.splice(0)),
    encoding: 'utf8',
  });
  if (!error) assert.equal(stdout.trim(), 'parsed', stderr);
};
