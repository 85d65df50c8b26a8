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
