/** `field-sandbox health`: checks whether the sandbox on this machine is ready, for a container's health check. */
import { open, parseJson, readAnswer, reasonOf } from '../client/send.ts';
import { ConfigError } from '../config/config-error.ts';
import { type OptionTexts, parseOptions, readEnvironment } from '../config/options.ts';
import { type Io, printTo } from './frame/io.ts';

/** Timeout of the request, in milliseconds. */
const timeoutMs = 2000;
/** Maximum size of the response, in bytes. Another server may send without end. */
const maxBytes = 1024 ** 2;

/** @returns 0 if the sandbox is ready, otherwise 1. @throws ConfigError if the host or port is invalid */
export async function runHealth(given: OptionTexts, { stdout, stderr, env }: Io): Promise<number> {
  const printError = printTo(stderr);
  const { SANDBOX_HOST = '127.0.0.1', SANDBOX_PORT = '4600' } = readEnvironment(env);
  const parsed = parseOptions(given, { SANDBOX_HOST, SANDBOX_PORT });
  if (!parsed.ok) throw new ConfigError(parsed.mistakes);
  const { port, host } = parsed.options;
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  try {
    const headers = { host: 'localhost' };
    const response = await open(`${url}/_sandbox/ready`, { body: undefined, timeout: timeoutMs, headers });
    const { status, text } = await readAnswer(response, maxBytes);
    if (status !== 200) throw new Error(`the sandbox responded with ${status}`);
    const { status: state } = Object(parseJson(text)) as { readonly status?: unknown };
    if (state !== 'ready') throw new Error(`the server at ${url} is not a sandbox`);
    printTo(stdout)(`ready: ${url}\n`);
    return 0;
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    printError(`not ready: ${isRefused ? `no sandbox listens on ${address}:${port}` : reasonOf(error)}\n`);
    return 1;
  }
}
