/** `field-sandbox health`: asks a sandbox on this machine whether it is ready; made for a container's health check. */
import { get } from 'node:http';
import { type OptionTexts, parseOptions, readEnvironment } from '../options.ts';

/** How long an answer may take. */
const patienceMs = 2000;

/** @returns 0 where it is ready, else 1; 2 where host or port are none */
export async function runHealth(given: OptionTexts, complain: (text: string) => void): Promise<number> {
  const { SANDBOX_HOST = '127.0.0.1', SANDBOX_PORT = '4600' } = readEnvironment();
  const parsed = parseOptions(given, { SANDBOX_HOST, SANDBOX_PORT });
  if (!parsed.ok) {
    complain(`${parsed.mistakes.join('\n')}\n`);
    return 2;
  }
  const { port, host } = parsed.options;
  const asked = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return new Promise((resolve) => {
    const fail = (why: string): void => {
      complain(`not ready: ${why}\n`);
      resolve(1);
    };
    const request = get(
      { host: asked, port, path: '/_sandbox/ready', timeout: patienceMs, headers: { host: 'localhost' } },
      (response) => {
        response.resume();
        if (response.statusCode === 200) resolve(0);
        else fail(`it answers ${response.statusCode}`);
      },
    );
    request.on('timeout', () => request.destroy(new Error('no answer within 2 s')));
    request.on('error', (error) => fail(error.message));
  });
}
