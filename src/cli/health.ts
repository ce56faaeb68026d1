/** `field-sandbox health`: checks whether the sandbox is ready, for a container's health check. */
import { open, parseJson, readAnswer, reasonOf } from '../client/send.ts';
import { ConfigError } from '../config/config-error.ts';
import { type OptionTexts, parseOptions, readEnvironment } from '../config/options.ts';
import { connect } from './connect.ts';
import { type Io, printTo } from './frame/io.ts';

/** Timeout of the request, in milliseconds. */
const timeoutMs = 2000;
/** Maximum size of the response, in bytes. Another server may send without end. */
const maxBytes = 1024 ** 2;

export type HealthTexts = OptionTexts & { readonly url?: string };

/** @returns 0 if the sandbox is ready, otherwise 1. @throws ConfigError if the URL, host or port is invalid */
export async function runHealth(texts: HealthTexts, { stdout, stderr, env }: Io): Promise<number> {
  const printError = printTo(stderr);
  const { url, headers } = findSandbox(texts, readEnvironment(env));
  try {
    const response = await open(`${url}/_sandbox/ready`, { body: undefined, timeout: timeoutMs, headers });
    const { status, text } = await readAnswer(response, maxBytes);
    if (status !== 200) throw new Error(`the sandbox responded with ${status}`);
    const { status: state } = Object(parseJson(text)) as { readonly status?: unknown };
    if (state !== 'ready') throw new Error(`the server at ${url} is not a sandbox`);
    printTo(stdout)(`ready: ${url}\n`);
    return 0;
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    printError(`not ready: ${isRefused ? `no sandbox listens on ${new URL(url).host}` : reasonOf(error)}\n`);
    return 1;
  }
}

/** Returns the URL of the sandbox, and the host to ask for. A container has the variables of its server, not of a client. */
function findSandbox({ url: given, ...texts }: HealthTexts, environment: Readonly<Record<string, string>>) {
  const { SANDBOX_URL, SANDBOX_HOST, SANDBOX_PORT } = environment;
  const isLocal = [texts.host, texts.port, SANDBOX_HOST, SANDBOX_PORT].some((one) => one !== undefined);
  if (given !== undefined || !isLocal) {
    const mistakes: string[] = [];
    const { url } = connect({ url: given }, { SANDBOX_URL }, mistakes);
    if (mistakes.length > 0) throw new ConfigError(mistakes);
    return { url, headers: {} };
  }
  const local = { SANDBOX_HOST: SANDBOX_HOST ?? '127.0.0.1', SANDBOX_PORT: SANDBOX_PORT ?? '4600' };
  const parsed = parseOptions(texts, local);
  if (!parsed.ok) throw new ConfigError(parsed.mistakes);
  const { port, host } = parsed.options;
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return { url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`, headers: { host: 'localhost' } };
}
