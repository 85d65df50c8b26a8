export { type Command, runProgram, UsageError } from './program/command/command-line.ts';
export { createServeCommand, renderServeHelp } from './program/command/serve-command.ts';
export { createTestCommand } from './program/command/test-command.ts';
export { createTokenCommand } from './program/command/token-command.ts';
export { readStoreConfig } from './program/config.ts';
