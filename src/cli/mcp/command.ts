/** `field-sandbox mcp`: serves the tools for coding agents on standard input and output. */
import { PassThrough } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { ControlClient } from '../../client/client.ts';
import { ConfigError } from '../../config/config-error.ts';
import { isLoopback } from '../../config/option-checks.ts';
import { parseOptions, readEnvironment } from '../../config/options.ts';
import { nextTurn, sleep } from '../../lib/timers.ts';
import { createMcpServer } from '../../mcp/server.ts';
import { toAsk } from '../../mcp/tool.ts';
import { type RunningSandbox, startSandbox } from '../../server.ts';
import { type Connection, connect } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';
import { toBugLines } from '../output/log.ts';
import { untilSignal } from '../process/signals.ts';
import { toStartMistakes } from '../process/start-mistakes.ts';
import { type InstallTexts, install } from './install.ts';
import { createTryFailures } from './try-failures.ts';

/** Longest time until the command ends after its input, in milliseconds. */
const maxLeavingMs = 5000;

/** Longest silence of the sandbox within a request, in milliseconds: an advance of the clock may take minutes. */
const silenceMs = 600_000;

/** Serves until the client closes the input. @returns 0. @throws ConfigError if an option is invalid or there is no sandbox */
export async function runMcp(action: string | undefined, texts: InstallTexts, io: Io): Promise<number> {
  const { SANDBOX_URL, SANDBOX_PORT = '4600' } = readEnvironment(io.env);
  const url = texts.url ?? (SANDBOX_URL === undefined ? toLocal(SANDBOX_PORT) : undefined);
  const mistakes: string[] = [];
  const wanted = connect({ ...texts, ...(url !== undefined && { url }) }, io.env, mistakes, silenceMs);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  if (action === 'install') return install(texts, io);
  if (texts.client !== undefined || texts.print)
    throw new ConfigError(['--client and --print belong to install: mcp install --client NAME']);
  if (action !== undefined) throw new ConfigError([`expected install or nothing after mcp, got "${action}"`]);
  const own = await startUnlessRunning(wanted, io);
  const client = new ControlClient({ ...wanted.target, url: own.url });
  const ask = toAsk(async (method, path, body) => {
    const answer = await client.ask(method, path, body);
    const isOwn = answer.ok || (answer.reason === 'refused' && answer.status !== 401);
    return isOwn ? answer : { ...answer, message: wanted.explain(answer).join('; '), errors: [] };
  });
  const sweeps = createTryFailures(io);
  const open = new Set<Promise<unknown>>();
  const offered = { isReadOnly: texts.readOnly === true, project: texts.project, more: [sweeps.tool], open };
  // The transport would end with its input, before it has answered.
  const transport = new StdioServerTransport(process.stdin.pipe(new PassThrough(), { end: false }));
  const serving = serveStdio(() => createMcpServer({ ask, url: own.url }, offered), { transport });
  try {
    const closed = new Promise((done) => process.stdin.once('close', done).once('end', done));
    const signal = await untilSignal(closed);
    await sweeps.end();
    if (signal === undefined) await untilAnswered(open);
    return 0;
  } finally {
    // Otherwise it keeps the process alive.
    process.stdin.unpipe();
    await serving.close();
    client.close();
    await own.close();
  }
}

/** Waits for the answers to what came before the end of the input, as from a pipe, but not for long. */
async function untilAnswered(open: ReadonlySet<Promise<unknown>>): Promise<void> {
  await nextTurn();
  const late = new AbortController();
  const limit = sleep(maxLeavingMs, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(open), limit]);
  late.abort();
  // The answers are written.
  await nextTurn();
}

/** Returns the address of a sandbox on this machine. @throws ConfigError if the port is none */
function toLocal(port: string): string {
  const parsed = parseOptions({}, { SANDBOX_PORT: port });
  if (!parsed.ok) throw new ConfigError(parsed.mistakes);
  return `http://127.0.0.1:${parsed.options.port}`;
}

/** Starts a sandbox if nothing listens at an http address: agents start this command before anything else. */
async function startUnlessRunning(
  { client, url, explain }: Connection,
  io: Io,
): Promise<Pick<RunningSandbox, 'url' | 'close'>> {
  const answer = await client.ask('GET', '/health');
  if (answer.ok) return { url, close: () => Promise.resolve() };
  const { protocol, hostname, port } = new URL(url);
  const isFree = (answer.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
  if (!isFree || protocol !== 'http:' || !isLoopback(hostname)) throw new ConfigError(explain(answer));
  const parsed = parseOptions({ host: hostname, port: port || '80', log: 'off' }, readEnvironment(io.env));
  if (!parsed.ok) throw new ConfigError(parsed.mistakes);
  const printError = printTo(io.stderr);
  const reportError = (id: string, error: unknown) => printError(toBugLines(id, error));
  try {
    const sandbox = await startSandbox(parsed.options, { reportError, warn: (text) => printError(`${text}\n`) });
    printError(`started a sandbox: ${sandbox.url}\n`);
    return sandbox;
  } catch (error) {
    const mistakes = toStartMistakes(error, parsed.options, parsed.names);
    throw mistakes ? new ConfigError(mistakes) : error;
  }
}
