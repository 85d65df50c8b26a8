#!/usr/bin/env node
import { HELP } from './commands/help.ts';
import { PRODUCT } from './product.ts';
import { type Command, openScreen, print, runProgram, UsageError } from './program/command/command-line.ts';
import { SERVE_HELP } from './program/command/serve-help.ts';
import { applyServeOptions, SERVE_OPTIONS } from './program/command/serve-options.ts';
import { testCommand } from './program/command/test-command.ts';

const serve: Command = {
  options: SERVE_OPTIONS,
  async run({ options }) {
    applyServeOptions(options);
    await import('./main.ts');
    return true;
  },
};

const exportCommand: Command = {
  async run() {
    const [{ readStoreConfig }, { exportPlants }] = await Promise.all([
      import('./program/config.ts'),
      import('./commands/export.ts'),
    ]);
    const count = await exportPlants({ ...readStoreConfig(process.env), output: process.stdout });
    openScreen().write(`plants exported: ${count}\n`);
    return true;
  },
};

/** Aborts on the first signal, so that an import can finish its current batch; a second signal kills the process. */
const abortOnSignal = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
};

const importCommand: Command = {
  options: { 'on-error': { type: 'string', default: 'stop' }, wait: { type: 'string', default: '30' } },
  mostOperands: 1,
  async run({ options, operands: [file] }) {
    const { wait, 'on-error': onError } = options;
    if (file === undefined) throw new UsageError('name the file to import, or - for standard input');
    if (onError !== 'stop' && onError !== 'skip') throw new UsageError('--on-error is stop or skip');
    if (!/^\d{1,6}$/.test(String(wait))) throw new UsageError('--wait is a number of seconds');
    const [{ readStoreConfig }, { CONTRACT_FILE }, { importPlants }] = await Promise.all([
      import('./program/config.ts'),
      import('./program/package-files.ts'),
      import('./commands/import.ts'),
    ]);
    return importPlants({
      ...readStoreConfig(process.env),
      contractFile: CONTRACT_FILE,
      file,
      onError,
      patience: Number(wait) * 1000,
      screen: openScreen(),
      signal: abortOnSignal(),
    });
  },
};

/** SQLite cannot stop in the middle of a copy, so the process ends by the signal once the half copy is removed. */
const endOnSignal = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      controller.abort();
      openScreen().write(`${PRODUCT.name} backup: stopped; no copy was made\n`);
      process.kill(process.pid, signal);
    });
  return controller.signal;
};

const backup: Command = {
  mostOperands: 1,
  async run({ operands: [file] }) {
    if (file === undefined || file === '') throw new UsageError('name the file to write');
    if (file === '-') throw new UsageError('a backup goes to a file, not to standard output');
    const [{ readStoreConfig }, { backUpPlants }] = await Promise.all([
      import('./program/config.ts'),
      import('./commands/backup.ts'),
    ]);
    const { databaseUrl } = readStoreConfig(process.env);
    const report = await backUpPlants({ databaseUrl, file, screen: openScreen(), signal: endOnSignal() });
    return print(`${report}\n`);
  },
};

const token: Command = {
  mostOperands: 1,
  async run({ operands: [name] }) {
    const { mintToken } = await import('./program/command/mint-token.ts');
    const { token, entry } = mintToken(name);
    return print(`token  ${token}\nentry  ${entry}\n`);
  },
};

await runProgram({
  name: PRODUCT.name,
  commands: { serve, export: exportCommand, import: importCommand, backup, token, test: testCommand },
  help: { ...HELP, serve: `${HELP.serve}\n${SERVE_HELP}` },
});
