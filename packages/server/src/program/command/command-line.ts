import { type ParseArgsConfig, parseArgs } from 'node:util';
import { codeOf } from '@trellis/openapi/internal/json';

/**
 * The command line is wrong: an unknown command, a missing operand, a bad option.
 *
 * @example
 * if (file === undefined) throw new UsageError('name the file to import');
 */
export class UsageError extends Error {}

/** The arguments of a command, and where it writes. */
export interface Given {
  readonly options: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
  /** Writes to standard output, and waits until it is written. */
  readonly print: (text: string) => Promise<true>;
  /** Standard error. A command continues if nothing reads it. */
  readonly screen: NodeJS.WriteStream;
}

/** A command. Load its modules when it runs, so that the other commands start fast. */
export interface Command {
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /** How many operands it takes at most; none if not given. */
  readonly mostOperands?: number;
  /** Whether it reads its arguments itself, `--help` included: all of them are operands. */
  readonly takesRawArguments?: true;
  /** Resolves to whether it succeeded; a command may have set another exit code than 1 by then. */
  readonly run: (given: Given) => Promise<boolean>;
}

/** A program with its commands. Commands without an entry in `help` share the general help page. */
export interface Program<Name extends string> {
  readonly name: string;
  readonly version: string;
  readonly commands: Readonly<Record<Name, Command>>;
  readonly help: Readonly<{ general: string } & Partial<Record<NoInfer<Name>, string>>>;
}

const ignore = (): void => {};

/** A stream whose errors do not end the process. */
const withoutCrash = (stream: NodeJS.WriteStream): NodeJS.WriteStream =>
  stream.off('error', ignore).on('error', ignore);

const print = (text: string): Promise<true> =>
  new Promise((resolve, reject) => {
    withoutCrash(process.stdout).write(text, (error) => (error ? reject(error) : resolve(true)));
  });

const openScreen = (): NodeJS.WriteStream => withoutCrash(process.stderr);

/** parseArgs explains an error at length; the first sentence is enough. */
const toUsageError = (error: unknown): unknown =>
  error instanceof TypeError && codeOf(error).startsWith('ERR_PARSE_ARGS')
    ? new UsageError(error.message.split('. ')[0]?.replace(/^./, (letter) => letter.toLowerCase()))
    : error;

const parse = (
  args: readonly string[],
  { options = {}, mostOperands = 0 }: Command,
): Pick<Given, 'options' | 'operands'> => {
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

/** Writes one sentence about the error and returns the exit code. A closed pipe needs no explanation. */
const explain = (title: string, error: unknown): number => {
  if (codeOf(error) === 'EPIPE') return 1;
  const reason = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError;
  openScreen().write(`${title}: ${reason}${isUsage ? `; see \`${title} --help\`` : ''}\n`);
  return isUsage ? 2 : 1;
};

/** Runs the command that a command line names, or prints the help if it names none, and gives the exit code. */
export const runCommandLine = async <Name extends string>(
  { name: program, version, commands, help }: Program<Name>,
  [name = '--help', ...args]: readonly string[],
): Promise<number> => {
  const isCommand = (name: string): name is Name => Object.hasOwn(commands, name);

  const run = async (name: string, args: readonly string[]): Promise<boolean> => {
    if (name === '--version' || name === '-v') return print(`${version}\n`);
    if (name === '--help' || name === '-h' || name === 'help') {
      const [topic = ''] = args;
      if (isCommand(topic) && commands[topic].takesRawArguments) return run(topic, ['--help']);
      return print((isCommand(topic) ? help[topic] : undefined) ?? help.general);
    }
    if (!isCommand(name))
      throw new UsageError(`there is no ${name.startsWith('-') ? 'option' : 'command'} ${name}`);
    const command: Command = commands[name];
    if (command.takesRawArguments)
      return command.run({ options: {}, operands: args, print, screen: openScreen() });
    const given = parse(args, command);
    return given.options.help
      ? print(help[name] ?? help.general)
      : command.run({ ...given, print, screen: openScreen() });
  };

  try {
    return (await run(name, args)) ? 0 : 1;
  } catch (error) {
    return explain(isCommand(name) ? `${program} ${name}` : program, error);
  }
};

/**
 * Runs the command that the command line names, `serve` if it names none, and sets the exit code.
 *
 * @example
 * await runProgram({ name: 'things', version, commands: { serve, token: createTokenCommand('things') }, help: { general } });
 */
export const runProgram = async <Name extends string>(program: Program<Name>): Promise<void> => {
  const args = process.argv.slice(2);
  const code = await runCommandLine(program, args.length === 0 ? ['serve'] : args);
  if (code !== 0) process.exitCode ||= code;
};
