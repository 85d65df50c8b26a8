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

/** The command line is wrong. */
export const usage = (sentence: string): Exit => new Exit(EXIT.usage, sentence);

/** What to send to whoever maintains this command. */
export const describeOwnError = (error: unknown, version: string): string =>
  [
    'This is an error of the command, not of the service, and no verdict about it. Please report these lines:',
    `  version ${version}, Node ${process.versions.node}, ${process.platform}`,
    error instanceof Error ? `${error.stack}` : String(error),
  ].join('\n');
