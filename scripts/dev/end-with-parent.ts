// Loaded into the service before its own code: the service ends when `npm run dev` ends, even if that is killed.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref(); // the channel alone must not keep the service alive
