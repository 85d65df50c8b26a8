/** How long the process waits for its last log lines to be read, in milliseconds. */
const LAST_LINES = 1000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Calls back at the first signal that stops the process. A second one kills it. */
export const onStopSignal = (stop: (signal: NodeJS.Signals) => void): void => {
  const onSignal = (signal: NodeJS.Signals): void => {
    for (const each of SIGNALS) process.off(each, onSignal);
    stop(signal);
  };
  for (const each of SIGNALS) process.on(each, onSignal);
};

/** Ends the process once its last log lines are read. Drops lines that are not read in time. */
export const endProcess = (flush: () => void): void => {
  flush();
  process.channel?.unref();
  setTimeout(() => process.exit(), LAST_LINES).unref();
};
