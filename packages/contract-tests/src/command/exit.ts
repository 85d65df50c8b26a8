/** The exit codes of the command. */
export const EXIT = {
  kept: 0,
  broken: 1,
  usage: 2,
  contract: 3,
  service: 4,
  unexpected: 70, // EX_SOFTWARE of sysexits.h
  interrupted: 130, // 128 + SIGINT, as a shell has it
} as const;

/** Ends the command with a sentence and an exit code. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** The command line or the config file is wrong. */
export const usage = (sentence: string): Exit => new Exit(EXIT.usage, sentence);

/** How the command was called, for whoever looks into an error of it. */
export interface Call {
  readonly name: string;
  readonly version: string;
  readonly args: readonly string[];
}

const SECRET_OPTION = /^--(?:token|basic|api-key|header|webhook-secret)$/;

/** The command line without the values that may be secrets. */
const showCommand = ({ name, args }: Call): string =>
  [name, ...args]
    .map((text, index, all) => {
      if (SECRET_OPTION.test(all[index - 1] ?? '')) return '…';
      return text
        .replace(/^(--(?:token|basic|api-key|header|webhook-secret)=).*/s, '$1…')
        .replace(/\/\/[^/@]*@/, '//…@');
    })
    .join(' ');

/** Errors of the command itself, met while it examined a service: there is no verdict about that. */
export class OwnErrors extends Error {
  /** Each with what was examined, as it is shown. */
  readonly shown: readonly string[];
  readonly seed: number;

  constructor(shown: readonly string[], seed: number) {
    super(shown.join('\n'));
    this.shown = shown;
    this.seed = seed;
  }
}

/** The most errors that are shown. */
const MOST = 3;

/** What to send to whoever maintains this command. */
export const describeOwnError = (error: unknown, call: Call): string => {
  const { shown, seed } =
    error instanceof OwnErrors
      ? error
      : { shown: [error instanceof Error ? `${error.stack}` : String(error)], seed: undefined };
  return [
    'This is an error of the command, not of the service, and no verdict about it. Please report these lines:',
    `  version ${call.version}, Node ${process.versions.node}, ${process.platform}`,
    `  command ${showCommand(call)}`,
    ...(seed === undefined ? [] : [`  seed ${seed}`]),
    ...shown.slice(0, MOST),
    ...(shown.length > MOST ? [`and ${shown.length - MOST} more`] : []),
  ].join('\n');
};
