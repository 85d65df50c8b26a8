// Loaded into the service before itself: it ends when the process that started it does, however that ends.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref(); // and it does not stay for that one's sake
