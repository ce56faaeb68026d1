/** `field-sandbox health`: checks whether the sandbox on this machine is ready, for a container's health check. */
import { get } from 'node:http';
import { type OptionTexts, parseOptions, readEnvironment } from '../config/options.ts';
import { describeError } from '../lib/describe-error.ts';
import { type Io, printTo } from './frame/io.ts';
import { printMistakes } from './output/text.ts';

/** Timeout of the request, in milliseconds. */
const timeoutMs = 2000;

/** @returns 0 if the sandbox is ready, otherwise 1; 2 if the host or port is invalid */
export async function runHealth(given: OptionTexts, { stdout, stderr, env }: Io): Promise<number> {
  const printError = printTo(stderr);
  const { SANDBOX_HOST = '127.0.0.1', SANDBOX_PORT = '4600' } = readEnvironment(env);
  const parsed = parseOptions(given, { SANDBOX_HOST, SANDBOX_PORT });
  if (!parsed.ok) return printMistakes(parsed.mistakes, printError);
  const { port, host } = parsed.options;
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return new Promise((resolve) => {
    const fail = (why: string): void => {
      printError(`not ready: ${why}\n`);
      resolve(1);
    };
    const request = get(
      {
        host: address,
        port,
        path: '/_sandbox/ready',
        timeout: timeoutMs,
        headers: { host: 'localhost' },
        agent: false,
      },
      (response) => {
        // The body may be endless.
        response.destroy();
        if (response.statusCode !== 200) return fail(`the sandbox responded with ${response.statusCode}`);
        printTo(stdout)(`ready: http://${address.includes(':') ? `[${address}]` : address}:${port}\n`);
        resolve(0);
      },
    );
    request.on('timeout', () => request.destroy(new Error('no response within 2 s')));
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'ECONNREFUSED' ? `no sandbox listens on ${address}:${port}` : describeError(error)),
    );
  });
}
