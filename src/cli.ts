#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import {
  type Command,
  createServeCommand,
  createTestCommand,
  createTokenCommand,
  readStoreConfig,
  renderServeHelp,
  runProgram,
  UsageError,
} from '@trellis/server/command';
import { HELP } from './commands/help.ts';
import { PRODUCT } from './product.ts';

const exportCommand: Command = {
  async run({ screen }) {
    const { exportPlants } = await import('./commands/export.ts');
    const count = await exportPlants(readStoreConfig(process.env, PRODUCT), process.stdout);
    screen.write(`plants exported: ${count}\n`);
    return true;
  },
};

/** Aborts on the first of these signals, and then calls back. A second one kills the process. */
const abortOn = (signals: readonly NodeJS.Signals[], then: (signal: NodeJS.Signals) => void = () => {}) => {
  const controller = new AbortController();
  const abort = (signal: NodeJS.Signals): void => {
    controller.abort();
    then(signal);
  };
  for (const signal of signals) process.once(signal, abort);
  return controller.signal;
};

const importCommand: Command = {
  options: { 'on-error': { type: 'string', default: 'stop' }, wait: { type: 'string', default: '30' } },
  mostOperands: 1,
  async run({ options, operands: [file], screen }) {
    const { wait, 'on-error': onError } = options;
    if (file === undefined) throw new UsageError('name the file to import, or - for standard input');
    if (onError !== 'stop' && onError !== 'skip') throw new UsageError('--on-error is stop or skip');
    if (!/^\d{1,6}$/.test(String(wait))) throw new UsageError('--wait is a number of seconds');
    const { importPlants } = await import('./commands/import.ts');
    return importPlants({
      ...readStoreConfig(process.env, PRODUCT),
      contractFile: fileURLToPath(PRODUCT.contract),
      file,
      onError,
      patience: Number(wait) * 1000,
      screen,
      signal: abortOn(['SIGINT', 'SIGTERM']), // it finishes its current batch
    });
  },
};

const backup: Command = {
  mostOperands: 1,
  async run({ operands: [file], print, screen }) {
    if (file === undefined || file === '') throw new UsageError('name the file to write');
    if (file === '-') throw new UsageError('a backup is written to a file, not to standard output');
    const { backUpPlants } = await import('./commands/backup.ts');
    const { databaseUrl } = readStoreConfig(process.env, PRODUCT);
    // SQLite cannot stop in the middle of a copy, so the process ends by the signal once the half copy is removed.
    const signal = abortOn(['SIGINT', 'SIGTERM', 'SIGHUP'], (name) => {
      screen.write(`${PRODUCT.name} backup: stopped; no copy was made\n`);
      process.kill(process.pid, name);
    });
    return print(`${await backUpPlants(databaseUrl, file, screen, signal)}\n`);
  },
};

await runProgram({
  name: PRODUCT.name,
  version: PRODUCT.version,
  commands: {
    serve: createServeCommand(() => import('./main.ts')),
    export: exportCommand,
    import: importCommand,
    backup,
    token: createTokenCommand(PRODUCT.name),
    test: createTestCommand({ ...PRODUCT, load: () => import('@trellis/contract-tests') }),
  },
  help: { ...HELP, serve: `${HELP.serve}\n${renderServeHelp(PRODUCT)}` },
});
