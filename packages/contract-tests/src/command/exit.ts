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

/** Creates the error of a wrong command line. */
export const usage = (sentence: string): Exit => new Exit(EXIT.usage, sentence);

/** The lines to put into a bug report about this command. */
export const describeOwnError = (error: unknown, version: string): string =>
  [
    'This is an error of the command, not of the service. Please report these lines:',
    `  version ${version}, Node ${process.versions.node}, ${process.platform}`,
    error instanceof Error ? `${error.stack}` : String(error),
  ].join('\n');
