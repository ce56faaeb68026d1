/** `field-sandbox start`: starts a sandbox, says how to reach it, tells of requests, ends when told to. */
import closeWithGrace from 'close-with-grace';
import { defaultKey } from '../contract/keys.ts';
import { OperatorError } from '../operator-files.ts';
import type { Options } from '../option-table.ts';
import { type OptionTexts, parseOptions, readEnvironment } from '../options.ts';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { tellOfRequests } from './log.ts';

/** How long requests and sends under way may take to end. */
const graceMs = 10_000;

const print = (text: string): void => void process.stdout.write(text);
const complain = (text: string): void => void process.stderr.write(text);

/** Runs until the process is told to end. @returns the exit code where it could not start */
export async function runStart(given: OptionTexts): Promise<number | undefined> {
  const parsed = parseOptions(given, readEnvironment());
  if (!parsed.ok) return fail(parsed.mistakes);
  const { options, remarks } = parsed;
  for (const remark of remarks) complain(`note: ${remark}\n`);
  const notices = {
    bug: (id: string, error: unknown) =>
      complain(`bug ${id}: ${error instanceof Error ? error.stack : String(error)}\n`),
    remark: (text: string) => complain(`${text}\n`),
  };
  try {
    const sandbox = await startSandbox(options, notices);
    announce(sandbox, options);
    const { log, json } = options;
    const form = log !== 'auto' ? log : json || !process.stdout.isTTY ? 'json' : 'pretty';
    await tellOfRequests(sandbox.journal, form, print);
    closeWithGrace({ delay: graceMs, logger: false }, async ({ err }) => {
      if (err) notices.bug('process', err);
      await sandbox.close();
    });
    return undefined;
  } catch (error) {
    if (error instanceof OperatorError) return fail(error.mistakes);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return fail([`--port: ${options.port} is taken; give another, or 0 for a free one`]);
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      return fail([`--host, --port: ${message}`]);
    throw error;
  }
}

function fail(mistakes: readonly string[]): number {
  for (const mistake of mistakes) complain(`${mistake}\n`);
  return 2;
}

/** The ready line: where it is, which key, and a request to paste. */
function announce({ url }: Sandbox, options: Options): void {
  const key = options.apiKeys.includes(defaultKey) ? defaultKey : undefined;
  if (options.json) {
    print(`${JSON.stringify({ event: 'ready', url, ...(key && { apiKey: key }), control: `${url}/_sandbox` })}\n`);
    return;
  }
  print(`field-sandbox is ready
  URL      ${url}
  key      ${key ?? 'as given by --api-key'} (header apikey)
  control  ${url}/_sandbox

Try it, one job that is taken and one that fails downstream:
  curl -X POST ${url}/async/projects/demo/jobs -H 'apikey: ${key ?? 'YOUR-KEY'}' -H 'content-type: application/json' -d '{"jobs":[{"id":"ORD-1"},{"id":"FAIL-GEOCODE-1"}]}'
and what was told of it, a moment later:
  curl ${url}/_sandbox/projects/demo/callbacks

`);
}
