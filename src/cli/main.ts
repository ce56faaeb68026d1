/** Entry point of the process: runs the command line with the streams of the process. */

import { isRunner, runCli } from './frame/run-cli.ts';
import { codeCache } from './process/code-cache.ts';

process.on('exit', codeCache.keep);
const argv = process.argv.slice(2);
const code = runCli(argv, process);
void code.then((ended) => {
  if (ended !== undefined) process.exitCode = ended;
  // Processes that the command left behind may keep connections open.
  if (isRunner(argv)) process.exit();
});
