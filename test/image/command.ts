/** Runs a command to its end; one that fails is told with all that it wrote. */
import { execFile } from 'node:child_process';

/** @returns what it wrote to its output. @throws Error with all that it wrote, where it fails */
export function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((done, failed) => {
    execFile(command, args, { maxBuffer: 64 * 1024 * 1024 }, (error, out, err) => {
      if (error) failed(new Error(`${command} ${args.join(' ')}\n${error.message}\n${out}\n${err}`));
      else done(out);
    });
  });
}
