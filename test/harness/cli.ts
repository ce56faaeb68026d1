/** Runs command lines inside the test's process, and collects their output. */
import { Writable } from 'node:stream';
import type { Io } from '../../src/cli/frame/io.ts';
import { runCli } from '../../src/cli/frame/run-cli.ts';
import { environment, type ProcessResult } from './program.ts';

/** Output that a command has written so far. */
interface Written {
  out: string;
  err: string;
}

/** Creates streams, and an environment without other options of the sandbox. */
export function createIo(
  options: Readonly<Record<string, string>> = {},
  isTTY = false,
): Io & { readonly written: Written } {
  const written = { out: '', err: '' };
  const collect = (stream: keyof Written): Io['stdout'] => {
    const writable = new Writable({
      decodeStrings: false,
      write: (text: string | Buffer, _encoding, done) => {
        written[stream] += text;
        done();
      },
    });
    return Object.assign(writable, { isTTY });
  };
  return { stdout: collect('out'), stderr: collect('err'), env: environment(options), written };
}

/** Runs a command until it ends, such as `runCommand(['check', file])`. */
export async function runCommand(
  args: readonly string[],
  options: Readonly<Record<string, string>> = {},
): Promise<ProcessResult> {
  const io = createIo(options);
  const code = await runCli(args, io);
  return { code: code ?? null, ...io.written };
}
