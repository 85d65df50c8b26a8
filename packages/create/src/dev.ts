/**
 * trellis dev: runs the service from its sources and follows every edit.
 *
 * When the contract is saved, the types, the handler map and missing stubs are written again. When anything is saved,
 * the service is started again, and `tsc --watch` checks the types beside it. A contract that is not valid is reported
 * and changes nothing.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '@trellis/openapi/internal/json';
import { findCompiler } from './compiler.ts';
import type { Config } from './config.ts';
import { endChild, startChild } from './dev/child.ts';
import { createDevService } from './dev/service.ts';
import { createWatch, type Watch } from './dev/watch.ts';
import { planArtifacts, writeArtifact } from './generate/artifacts.ts';
import { HANDLERS, type HandledOperation, handledOperations } from './generate/handlers.ts';
import { CONTRACT } from './generate/pages.ts';

/**
 * The output of `npm run generate`. If another program changes it, such as git, the contract has most likely changed.
 */
const GENERATED = resolve('generated');
const GENERATED_MAP = resolve(HANDLERS);

/** Prints lines with the time before the first. */
const say = (...lines: readonly string[]): void => {
  const [time = ''] = new Date().toTimeString().split(' ');
  const indent = `\n${' '.repeat(time.length)}  `;
  process.stdout.write(`${time}  ${lines.join(indent)}\n`);
};

/** The contract that the project follows. */
interface Followed {
  operations: readonly HandledOperation[];
  readonly files: Set<string>;
  /** The mistakes of the contract so far. A document that had mistakes from the start is served despite them. */
  mistakes: number;
}

/** Updates the project to the contract on disk; returns false if the contract is not valid. */
const followContract = async (followed: Followed, watch: Watch): Promise<boolean> => {
  const { problems, warnings, mistakes, document, files, stale, stubs } = await planArtifacts();
  for (const file of files) followed.files.add(file);
  watch.add(files);
  const reasons = mistakes.length > followed.mistakes ? mistakes : problems;
  if (reasons.length > 0) {
    say('the contract is not valid; nothing has changed', ...reasons);
    return false;
  }
  followed.mistakes = mistakes.length;
  if (warnings.length > 0) say(...warnings.map((warning) => `warning: ${warning}`));
  for (const artifact of [...stale, ...stubs]) {
    await writeArtifact(artifact);
    watch.accept(artifact.file);
  }
  say(
    'the generated files are up to date',
    ...stubs.map(({ id, method, path, file }) => `+ ${method} ${path} (${id}), a stub in ${file}`),
  );
  followed.operations = handledOperations(document);
  return true;
};

/** A failing edit must not end the command: it keeps watching. */
const reportFailure = (error: unknown): void => say(`this edit could not be followed: ${messageOf(error)}`);

/** `trellis dev`: runs until a signal ends it. */
export const runDev = async ({ conditions = [], sources = [] }: Config): Promise<never> => {
  const service = createDevService(conditions, () =>
    say('the service has ended; it starts again on the next edit'),
  );
  const watch = createWatch(['src', 'generated', ...sources, CONTRACT]);
  const followed: Followed = { operations: [], files: new Set([CONTRACT]), mistakes: Infinity };
  let isContractGood = await followContract(followed, watch).catch((error: unknown) => {
    reportFailure(error);
    return false;
  });

  const followEdits = async (files: readonly string[]): Promise<void> => {
    const isOfContract = (file: string): boolean =>
      followed.files.has(file) || file === GENERATED_MAP || file.startsWith(GENERATED);
    if (!isContractGood || files.some(isOfContract)) isContractGood = await followContract(followed, watch);
    if (!isContractGood) return; // a restarted service would read the broken contract
    const missing = followed.operations.find(({ file }) => !existsSync(file))?.file;
    if (missing === undefined) return service.restart();
    say(
      `the handler ${missing} is missing: put it back (\`git checkout -- ${missing}\`), or let \`npm run generate\` write a stub`,
    );
  };

  await service.restart();
  const types = startChild(
    [findCompiler(), '--noEmit', '--watch', '--preserveWatchOutput'],
    ['ignore', 'inherit', 'inherit'],
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, async () => {
      await Promise.all([service.stop(), endChild(types)]);
      process.exit(0);
    });
  for (;;) await followEdits(await watch.next()).catch(reportFailure);
};
