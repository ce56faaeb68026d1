/** Ends a worker of vitest whose parent was killed, and with it the servers that the worker started. */
process.once('disconnect', () => process.exit(1));
