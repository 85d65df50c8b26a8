/**
 * npm run dev: runs the service from its sources and follows every edit.
 *
 * When the contract is saved, the types, the handler map and missing stubs are written again. When anything is saved, the
 * service is restarted and the types are checked. A contract that is not valid is reported and changes nothing.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { watch } from 'chokidar';
import { createPrettyLines } from '../src/program/pretty-log.ts';
import { type Changes, compareContracts } from './dev/changes.ts';
import { createDevService } from './dev/service.ts';
import { createTypeCheck } from './dev/type-check.ts';
import { type Artifact, type Plan, planArtifacts, writeArtifact } from './generate/artifacts.ts';
import { CONTRACT } from './generate/place.ts';
import { buildReference } from './support/reference.ts';

const MAX_ERRORS = 10;

/** How long to wait for further edits, in milliseconds. It exceeds the 50 ms for which chokidar drops events of a file. */
const QUIET_MS = 60;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Prints lines with the time before the first. */
const say = (...lines: readonly string[]): void => {
  const [time = ''] = new Date().toTimeString().split(' ');
  for (const [index, line] of lines.entries())
    print(`${index === 0 ? time : ' '.repeat(time.length)}  ${line}`);
};

const describeChanges = ({ added, removed, changed }: Changes, stubs: Plan['stubs']): string[] => {
  const stubOf = new Map(stubs.map(({ id, file }) => [id, `, a stub in ${file}`]));
  return [
    ...added.map(({ id, method, path }) => `+ ${method} ${path} (${id})${stubOf.get(id) ?? ''}`),
    ...changed.map(({ id, method, path }) => `~ ${method} ${path} (${id})`),
    ...removed.map(({ id, method, path, file }) => `- ${method} ${path} (${id}); ${file} is no longer used`),
  ];
};

const watcher = watch(['src', CONTRACT], { ignoreInitial: true, ignored: (file) => file.endsWith('.tmp') });
const checkTypes = createTypeCheck();
const { isTTY } = process.stdout;
const format = process.env.LOG_FORMAT || (isTTY ? 'pretty' : 'json');
const renderLine =
  format === 'pretty' ? createPrettyLines(isTTY && process.stdout.hasColors()) : (line: string) => line;
const service = createDevService('src/main.ts', (line) => print(renderLine(line).trimEnd()));
const written = new Map<string, string>();
const contractFiles = new Set<string>([CONTRACT]);
let contract: unknown;

const write = async (artifacts: readonly Artifact[]): Promise<void> => {
  for (const artifact of artifacts) {
    written.set(resolve(artifact.file), artifact.text);
    await writeArtifact(artifact);
  }
};

/** Brings the project up to date with the contract; false if the contract is not valid. */
const followContract = async (): Promise<boolean> => {
  const { problems, warnings, document, files, stale, stubs } = await planArtifacts();
  const unwatched = files.filter((file) => !contractFiles.has(file));
  for (const file of unwatched) contractFiles.add(file);
  watcher.add(unwatched); // only new files: adding one again would miss an edit made at that moment
  if (problems.length > 0) {
    say('the contract is not valid; nothing has changed', ...problems);
    return false;
  }
  if (warnings.length > 0) say(...warnings.map((warning) => `warning: ${warning}`));
  await write([...stale, ...stubs]);
  if (contract !== undefined) {
    const changes = describeChanges(compareContracts(contract, document), stubs);
    say(changes.length === 0 ? 'no operation has changed' : 'the contract has changed', ...changes);
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

/** Whether somebody else has changed the file since this command wrote it. */
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
  if (files.some((file) => file.includes('/http/docs/browser/'))) await buildReference();
  await serve();
  say(...describeTypes(checkTypes()));
};

/** One edit that fails must not end the command: the next one is followed all the same. */
const reportFailure = (error: unknown): void =>
  say(`this edit could not be followed: ${error instanceof Error ? error.message : error}`);

/** Follows edits one batch at a time; edits made meanwhile are the next batch. */
const follow = async (): Promise<void> => {
  if (isBusy) return;
  isBusy = true;
  while (edits.size > 0) {
    const files = [...edits];
    edits.clear();
    await followEdits(files).catch(reportFailure);
  }
  isBusy = false;
};

let timer: NodeJS.Timeout | undefined;
watcher.on('all', (_event, file) => {
  const path = resolve(file);
  if (!isEdit(path)) return;
  edits.add(path);
  clearTimeout(timer);
  timer = setTimeout(() => void follow(), QUIET_MS);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, async () => {
    await Promise.all([watcher.close(), service.stop()]);
    process.exit(0);
  });

await followContract().catch(reportFailure);
await buildReference().catch(reportFailure);
if (isTTY) service.startOnTerminal();
else await serve();
say(...describeTypes(checkTypes()));
