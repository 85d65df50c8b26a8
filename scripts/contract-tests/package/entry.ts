/** The tester as one module of the package: for test runners, and for the command `test`. */
export { runCommand } from '../command/command.ts';
export { contractTests } from './contract-tests.ts';
