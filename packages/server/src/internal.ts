export type { TaskMetric } from './background/task.ts';
export { runCommandLine } from './program/command/command-line.ts';
export { createPrettyLines } from './program/log/pretty-log.ts';
