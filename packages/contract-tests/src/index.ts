/** The tester as a module: for test runners, and for commands. */
export { type Program, runCommand } from './command/command.ts';
export type {
  ContractTestOptions,
  ContractTests,
  Reply,
  SentRequest,
  WebhookReceiver,
} from './package/api.ts';
export { contractTests } from './package/contract-tests.ts';
