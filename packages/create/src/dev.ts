/**
 * trellis dev: runs the service from its sources and follows every edit.
 *
 * When the contract is saved, the types, the handler map and missing stubs are written again. When anything is saved, the
 * service is replaced and the types are checked beside it. A contract that is not valid is reported and changes nothing;
 * if the new service does not start, the one before it serves on.
 */
import { resolve } from 'node:path';
import { messageOf } from '@trellis/openapi/json';
import { createPrettyLines } from '@trellis/server/internal';
import type { Config } from './config.ts';
import { type Changes, compareContracts } from './dev/changes.ts';
import { createDevService, type Started } from './dev/service.ts';
import { createTypes } from './dev/types.ts';
import { createWatch } from './dev/watch.ts';
import { type Artifact, type Plan, planArtifacts, writeArtifact } from './generate/artifacts.ts';
import { HANDLERS } from './generate/handlers.ts';
import { CONTRACT } from './generate/pages.ts';

const MAX_ERRORS = 10;

/** What `npm run generate` writes: somebody else who changes it, such as git, has most likely changed the contract. */
const GENERATED = resolve('generated');
const GENERATED_MAP = resolve(HANDLERS);

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

const describeTypes = (errors: readonly string[]): string[] => {
  if (errors.length === 0) return ['types fit'];
  const places = errors.length === 1 ? 'one place' : `${errors.length} places`;
  const more =
    errors.length > MAX_ERRORS ? [`and ${errors.length - MAX_ERRORS} more: npm run typecheck`] : [];
  return [`types do not fit in ${places}`, ...errors.slice(0, MAX_ERRORS), ...more];
};

/** `trellis dev`: runs until a signal ends it. */
export const runDev = async ({ conditions = [], sources = [] }: Config): Promise<never> => {
  const { isTTY } = process.stdout;
  const format = process.env.LOG_FORMAT || (isTTY ? 'pretty' : 'json');
  const renderLine =
    format === 'pretty' ? createPrettyLines(isTTY && process.stdout.hasColors()) : (line: string) => line;
  const service = createDevService({
    file: 'src/main.ts',
    conditions,
    isOnTerminal: isTTY,
    print: (line) => print(renderLine(line).trimEnd()),
    onEnd: () => say('the service has ended; it starts again on the next edit'),
  });
  const types = createTypes((errors) => say(...describeTypes(errors)));
  const contractFiles = new Set<string>([CONTRACT]);
  let contract: unknown;
  /** Whether the contract on disk is the one that was followed last. */
  let isContractGood = false;

  const watch = createWatch(['src', 'generated', ...sources], [CONTRACT], () => service.cancel());

  const write = async (artifacts: readonly Artifact[]): Promise<void> => {
    for (const artifact of artifacts) {
      await writeArtifact(artifact);
      watch.accept(artifact.file);
    }
  };

  /**
   * What is wrong if an edit takes away an operation that was served, or its name. A document that came with such mistakes
   * is served all the same.
   */
  const findMistakes = ({ added, removed }: Changes, slips: Plan['slips']): string[] => {
    const touched = { renamed: added, 'left out': removed };
    const isNew = ({ kind, title }: Plan['slips'][number]): boolean =>
      touched[kind].some(({ method, path }) => `${method} ${path}` === title);
    return [...new Set(slips.filter(isNew).flatMap(({ reasons }) => reasons))];
  };

  /** Brings the project up to date with the contract; false if the contract is not valid. */
  const followContract = async (): Promise<boolean> => {
    const { problems, warnings, document, files, stale, stubs, slips } = await planArtifacts();
    for (const file of files) contractFiles.add(file);
    watch.add(files);
    const refuse = (reasons: readonly string[]): false => {
      say('the contract is not valid; nothing has changed', ...reasons);
      return false;
    };
    if (problems.length > 0) return refuse(problems);
    const changes = contract === undefined ? undefined : compareContracts(contract, document);
    const mistakes = changes ? findMistakes(changes, slips) : [];
    if (mistakes.length > 0) return refuse(mistakes);
    if (warnings.length > 0) say(...warnings.map((warning) => `warning: ${warning}`));
    await write([...stale, ...stubs]);
    if (changes) {
      const lines = describeChanges(changes, stubs);
      say(lines.length === 0 ? 'no operation has changed' : 'the contract has changed', ...lines);
    } else for (const { id, file } of stubs) say(`${id} has no handler yet; a stub is in ${file}`);
    contract = document;
    return true;
  };

  const describeStart = (started: Exclude<Started, { kind: 'cancelled' }>, seconds: string): string[] => {
    const { address } = started;
    if (started.kind === 'serves') return [`${address} serves after ${seconds} s`];
    const rest =
      address === undefined
        ? 'the next edit starts it again'
        : `${address} serves what was there before this edit`;
    return [`the service does not start; ${rest}`, ...started.failure.lines];
  };

  /** Replaces the service, and then checks the types beside it: at once, each would take the time of the other. */
  const serve = async (): Promise<void> => {
    const began = performance.now();
    types.cancel();
    const started = await service.restart();
    if (started.kind === 'cancelled') return;
    say(...describeStart(started, ((performance.now() - began) / 1000).toFixed(1)));
    if (started.kind === 'serves' || !started.failure.isFileMissing) types.check();
  };

  const followEdits = async (files: readonly string[]): Promise<void> => {
    const isOfContract = (file: string): boolean =>
      contractFiles.has(file) || file === GENERATED_MAP || file.startsWith(GENERATED);
    if (!isContractGood || files.some(isOfContract)) isContractGood = await followContract();
    if (!isContractGood) return; // another service would read it as it is
    await serve();
  };

  /** One edit that fails must not end the command: the next one is followed all the same. */
  const reportFailure = (error: unknown): void => say(`this edit could not be followed: ${messageOf(error)}`);

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, async () => {
      watch.close();
      await service.stop();
      process.exit(0);
    });

  isContractGood = await followContract().catch((error: unknown) => {
    reportFailure(error);
    return false;
  });
  await serve();
  for (;;) await followEdits(await watch.next()).catch(reportFailure);
};
