/**
 * npm run dev: the service, from its sources, as they and the contract are right now.
 *
 * On an edit of the contract: types, handlers and stubs anew, then types checked and the service restarted. On an edit
 * in src: the latter two. What the contract does not allow is told, and changes nothing.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { watch } from 'chokidar';
import { type Changes, compareContracts } from './dev/changes.ts';
import { createDevService } from './dev/service.ts';
import { createTypeCheck } from './dev/type-check.ts';
import { type Artifact, type Plan, planArtifacts, writeArtifact } from './generate/artifacts.ts';
import { CONTRACT } from './generate/place.ts';

const MAX_ERRORS = 10;

/** How long nothing is saved before an edit is followed, in milliseconds: chokidar tells of one edit in 50 and drops the rest. */
const QUIET = 60;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const say = (...lines: readonly string[]): void => {
  const [time = ''] = new Date().toTimeString().split(' ');
  for (const [index, line] of lines.entries())
    print(`${index === 0 ? time : ' '.repeat(time.length)}  ${line}`);
};

const describe = ({ came, went, changed }: Changes, stubs: Plan['stubs']): string[] => {
  const stubOf = new Map(stubs.map(({ id, file }) => [id, `, a stub in ${file}`]));
  return [
    ...came.map(({ id, method, path }) => `+ ${method} ${path} (${id})${stubOf.get(id) ?? ''}`),
    ...changed.map(({ id, method, path }) => `~ ${method} ${path} (${id})`),
    ...went.map(({ id, method, path, file }) => `- ${method} ${path} (${id}); ${file} is no longer used`),
  ];
};

const watcher = watch(['src', CONTRACT], { ignoreInitial: true, ignored: (file) => file.endsWith('.tmp') });
const checkTypes = createTypeCheck();
const service = createDevService('src/main.ts', print);
const written = new Map<string, string>();
const contractFiles = new Set<string>([CONTRACT]);
let contract: unknown;

const write = async (artifacts: readonly Artifact[]): Promise<void> => {
  for (const artifact of artifacts) {
    written.set(resolve(artifact.file), artifact.text);
    await writeArtifact(artifact);
  }
};

/** Brings the project up to the contract; false if the contract is no contract. */
const followContract = async (): Promise<boolean> => {
  const { problems, warnings, document, files, stale, stubs } = await planArtifacts();
  const unknown = files.filter((file) => !contractFiles.has(file));
  for (const file of unknown) contractFiles.add(file);
  watcher.add(unknown); // those alone: of a file that is added again, an edit at that moment would be missed
  if (problems.length > 0) {
    say('the contract is not valid; nothing has changed', ...problems);
    return false;
  }
  if (warnings.length > 0) say(...warnings.map((warning) => `warning: ${warning}`));
  await write([...stale, ...stubs]);
  if (contract !== undefined) {
    const changes = describe(compareContracts(contract, document), stubs);
    say(
      changes.length === 0 ? 'the contract says the same as before' : 'the contract has changed',
      ...changes,
    );
  } else for (const { id, file } of stubs) say(`${id} has no handler yet; a stub is in ${file}`);
  contract = document;
  return true;
};

const serve = async (): Promise<void> => {
  const began = performance.now();
  const address = await service.restart();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(
    address === undefined
      ? 'the service has ended; it starts again on the next edit'
      : `${address} serves after ${seconds} s`,
  );
};

const describeTypes = (errors: readonly string[]): string[] => {
  if (errors.length === 0) return ['types fit'];
  const places = errors.length === 1 ? 'one place' : `${errors.length} places`;
  const more =
    errors.length > MAX_ERRORS ? [`and ${errors.length - MAX_ERRORS} more: npm run typecheck`] : [];
  return [`types do not fit in ${places}`, ...errors.slice(0, MAX_ERRORS), ...more];
};

/** A file that is as we have written it ourselves is no edit. */
const isEdit = (file: string): boolean => {
  const text = written.get(file);
  if (text === undefined) return true;
  try {
    return readFileSync(file, 'utf8') !== text;
  } catch {
    return true;
  }
};

const edits = new Set<string>();
let isBusy = false;

const followEdits = async (files: readonly string[]): Promise<void> => {
  if (files.some((file) => contractFiles.has(file)) && !(await followContract())) return;
  await serve();
  say(...describeTypes(checkTypes()));
};

/** What goes wrong with one edit is told, and the next one is followed all the same. */
const tell = (error: unknown): void =>
  say(`this could not be followed: ${error instanceof Error ? error.message : error}`);

/** One round at a time; what is saved meanwhile makes the next. */
const follow = async (): Promise<void> => {
  if (isBusy) return;
  isBusy = true;
  while (edits.size > 0) {
    const files = [...edits];
    edits.clear();
    await followEdits(files).catch(tell);
  }
  isBusy = false;
};

let timer: NodeJS.Timeout | undefined;
watcher.on('all', (_event, file) => {
  const path = resolve(file);
  if (!isEdit(path)) return;
  edits.add(path);
  clearTimeout(timer);
  timer = setTimeout(() => void follow(), QUIET);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, async () => {
    await Promise.all([watcher.close(), service.stop()]);
    process.exit(0);
  });

await followContract().catch(tell);
if (process.stdout.isTTY) service.introduce();
else await serve();
say(...describeTypes(checkTypes()));
