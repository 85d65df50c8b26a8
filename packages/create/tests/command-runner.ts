/**
 * Runs the command of one file in several folders, one after the other. Its packages, which take most of the time, are
 * loaded once. The parent sends the folder and the arguments, and gets the exit code and the output.
 */
const [, , command = ''] = process.argv;
let count = 0;

process.on('message', async ({ cwd, args }: { cwd: string; args: string[] }) => {
  const output: string[] = [];
  const streams = [process.stdout, process.stderr];
  const writes = streams.map((stream) => stream.write);
  for (const stream of streams)
    stream.write = (chunk: string | Uint8Array, done?: unknown): boolean => {
      output.push(`${chunk}`);
      if (typeof done === 'function') done();
      return true;
    };
  process.chdir(cwd);
  process.argv = [process.execPath, command, ...args];
  process.exitCode = 0;
  try {
    count += 1;
    await import(`${command}?${count}`);
  } catch (error) {
    output.push(String(error));
    process.exitCode = 1;
  }
  streams.forEach((stream, index) => {
    stream.write = writes[index] ?? stream.write;
  });
  process.send?.({ code: process.exitCode, output: output.join('').trim() });
});
