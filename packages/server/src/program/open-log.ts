import type { Config } from './config.ts';
import { createLog } from './log/log.ts';

/** Opens the log of the process: lines for people on a terminal and JSON elsewhere, unless LOG_FORMAT says otherwise. */
export const openLog = async ({
  logLevel,
  logFormat,
  workers,
}: Pick<Config, 'logLevel' | 'logFormat' | 'workers'>) => {
  const { stdout } = process;
  const isPretty = logFormat === undefined ? stdout.isTTY : logFormat === 'pretty';
  const inColour = stdout.isTTY && stdout.hasColors(); // NO_COLOR included
  const render = isPretty ? (await import('./log/pretty-log.ts')).createPrettyLines(inColour) : undefined;
  const isShared = workers > 1 && !stdout.isTTY;
  const output = isShared ? (await import('./workers/shared-output.ts')).createSharedOutput(stdout) : stdout;
  return { ...createLog(logLevel, output, render), isPretty, inColour };
};
