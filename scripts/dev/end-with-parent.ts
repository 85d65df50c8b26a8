// Loaded into the service before its own code: the service ends when `npm run dev` ends, even if that is killed.
const end = (): void => void process.kill(process.pid, 'SIGTERM');
process.on('disconnect', end);
process.channel?.unref(); // the channel alone must not keep the service alive
if (!process.connected) end(); // it may have been killed already
