#!/usr/bin/env node
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { HELP } from './help.ts';

/** The command line asks for something that there is not. */
class UsageError extends Error {}

type CommandName = Exclude<keyof typeof HELP, 'general'>;

/** What stands on the command line after the command. */
interface Given {
  readonly options: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
}

/** A command; it tells whether all went well. What it needs is loaded when it runs, and not before. */
interface Command {
  readonly options: NonNullable<ParseArgsConfig['options']>;
  readonly mostOperands: number;
  readonly run: (given: Given) => Promise<boolean>;
}

const print = (text: string): Promise<true> =>
  new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(text, (error) => (error ? reject(error) : resolve(true)));
  });

/** Standard error; where nobody can be told what goes wrong, the work goes on all the same. */
const openScreen = (): NodeJS.WriteStream => process.stderr.on('error', () => {});

const serve = async (): Promise<boolean> => {
  await import('./main.ts');
  return true;
};

const runExport = async (): Promise<boolean> => {
  const [{ readStoreConfig }, { exportPlants }] = await Promise.all([
    import('./config.ts'),
    import('./commands/export.ts'),
  ]);
  const count = await exportPlants({ ...readStoreConfig(process.env), output: process.stdout });
  openScreen().write(`plants exported: ${count}\n`);
  return true;
};

/** Ends after what is on its way; a second signal ends the process the hard way. */
const untilStopped = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
};

const runImport = async ({ options, operands: [file] }: Given): Promise<boolean> => {
  const { wait, 'on-error': onError } = options;
  if (file === undefined) throw new UsageError('name the file to import, or - for standard input');
  if (onError !== 'stop' && onError !== 'skip') throw new UsageError('--on-error is stop or skip');
  if (!/^\d{1,6}$/.test(String(wait))) throw new UsageError('--wait is a number of seconds');
  const [{ readStoreConfig }, { CONTRACT_FILE }, { importPlants }] = await Promise.all([
    import('./config.ts'),
    import('./package-files.ts'),
    import('./commands/import.ts'),
  ]);
  return importPlants({
    ...readStoreConfig(process.env),
    contractFile: CONTRACT_FILE,
    file,
    onError,
    patience: Number(wait) * 1000,
    screen: openScreen(),
    signal: untilStopped(),
  });
};

/** SQLite does not stop in the middle, so the process ends as the signal would have it, once there is no half copy left. */
const endOnSignal = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      controller.abort();
      openScreen().write('plant-store backup: stopped; no copy was made\n');
      process.kill(process.pid, signal);
    });
  return controller.signal;
};

const runBackup = async ({ operands: [file] }: Given): Promise<boolean> => {
  if (file === undefined || file === '') throw new UsageError('name the file to write');
  if (file === '-') throw new UsageError('a backup goes to a file, not to standard output');
  const [{ readStoreConfig }, { backUpPlants }] = await Promise.all([
    import('./config.ts'),
    import('./commands/backup.ts'),
  ]);
  const { databaseUrl } = readStoreConfig(process.env);
  const told = await backUpPlants({ databaseUrl, file, screen: openScreen(), signal: endOnSignal() });
  return print(`${told}\n`);
};

const runToken = async ({ operands: [name] }: Given): Promise<boolean> => {
  const { mintToken } = await import('./commands/token.ts');
  const { token, entry } = mintToken(name);
  return print(`token  ${token}\nentry  ${entry}\n`);
};

const COMMANDS: Readonly<Record<CommandName, Command>> = {
  serve: { options: {}, mostOperands: 0, run: serve },
  export: { options: {}, mostOperands: 0, run: runExport },
  import: {
    options: { 'on-error': { type: 'string', default: 'stop' }, wait: { type: 'string', default: '30' } },
    mostOperands: 1,
    run: runImport,
  },
  backup: { options: {}, mostOperands: 1, run: runBackup },
  token: { options: {}, mostOperands: 1, run: runToken },
};

const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** parseArgs explains itself at length; its first sentence says what is wrong. */
const toUsageError = (error: unknown): unknown =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    ? new UsageError(error.message.split('. ')[0]?.replace(/^./, (letter) => letter.toLowerCase()))
    : error;

const parse = (args: readonly string[], { options, mostOperands }: Command): Given => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (positionals.length > mostOperands && !values.help)
      throw new UsageError(`"${positionals[mostOperands]}" is one word too many`);
    return { options: values, operands: positionals };
  } catch (error) {
    throw toUsageError(error);
  }
};

const run = async (name: string, args: readonly string[]): Promise<boolean> => {
  if (name === '--version' || name === '-v')
    return print(`${(await import('./package-files.ts')).readVersion()}\n`);
  if (name === '--help' || name === '-h' || name === 'help') {
    const [topic = 'general'] = args;
    return print(isCommand(topic) ? HELP[topic] : HELP.general);
  }
  if (!isCommand(name))
    throw new UsageError(`there is no ${name.startsWith('-') ? 'option' : 'command'} ${name}`);
  const given = parse(args, COMMANDS[name]);
  return given.options.help ? print(HELP[name]) : COMMANDS[name].run(given);
};

/** One sentence for whoever has to mend it, and the exit code. A reader that has had enough needs none. */
const explain = (title: string, error: unknown): number => {
  if (typeof error === 'object' && error && 'code' in error && error.code === 'EPIPE') return 1;
  const reason = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError;
  openScreen().write(`${title}: ${reason}${isUsage ? `; see \`${title} --help\`` : ''}\n`);
  return isUsage ? 2 : 1;
};

const [name = 'serve', ...args] = process.argv.slice(2);
try {
  if (!(await run(name, args))) process.exitCode = 1;
} catch (error) {
  process.exitCode = explain(isCommand(name) ? `plant-store ${name}` : 'plant-store', error);
}
