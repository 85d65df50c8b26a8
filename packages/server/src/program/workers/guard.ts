/** The program of the guard: see start-guard.ts. It loads nothing, to stay small. */

/** How long workers have to end by themselves, in milliseconds: those that can, write their last log lines. */
const KILL_AFTER = 100;

/** The last whole line names the workers. What is written before this program runs waits in the pipe. */
let text = `${process.argv[2]}\n`;
process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  text += chunk;
  text = text.slice(text.lastIndexOf('\n', text.lastIndexOf('\n') - 1) + 1);
});

const kill = (): void => {
  const [line = ''] = text.split('\n', 1);
  for (const pid of line.split(' ').map(Number))
    try {
      if (pid > 0) process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended
    }
};
process.stdin.on('error', () => {}).on('close', () => setTimeout(kill, KILL_AFTER));

// Supervisors signal all processes of a service at once. The guard ends with the process that has started it.
for (const each of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']) process.on(each, () => {});
