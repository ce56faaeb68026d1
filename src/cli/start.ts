/** `field-sandbox start`: starts a sandbox, says how to reach it, tells of requests, ends when told to. */
import closeWithGrace from 'close-with-grace';
import { defaultKey } from '../contract/keys.ts';
import { OperatorError } from '../operator-files.ts';
import type { Options } from '../option-table.ts';
import { type OptionTexts, parseOptions, readEnvironment } from '../options.ts';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { toListenMistake } from './listen-mistake.ts';
import { tellOfRequests, toBugLines } from './log.ts';

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
    bug: (id: string, error: unknown) => complain(toBugLines(id, error)),
    remark: (text: string) => complain(`${text}\n`),
  };
  const starting = startSandbox(options, notices);
  let isEnding = false;
  let told: (() => Promise<void>) | undefined;
  // Before it has started: who changes his mind by then need not kill it, which the first process of a container does not feel.
  const { uninstall } = closeWithGrace({ delay: graceMs, logger: false }, async ({ err }) => {
    isEnding = true;
    if (err) notices.bug('process', err);
    const sandbox = await starting.catch(() => undefined);
    await sandbox?.close();
    await told?.();
  });
  try {
    const sandbox = await starting;
    if (isEnding) return undefined;
    announce(sandbox, options);
    const { log, json } = options;
    const form = log !== 'auto' ? log : json || !process.stdout.isTTY ? 'json' : 'pretty';
    told = tellOfRequests(sandbox.journal, form, print);
    return undefined;
  } catch (error) {
    uninstall();
    if (error instanceof OperatorError) return fail(error.mistakes);
    const mistake = toListenMistake(error, options);
    if (mistake) return fail([mistake]);
    throw error;
  }
}

function fail(mistakes: readonly string[]): number {
  for (const mistake of mistakes) complain(`${mistake}\n`);
  return 2;
}

/** The ready line: where it is, which key, and a request to paste. */
function announce({ url, tls }: Sandbox, options: Options): void {
  const key = options.apiKeys.includes(defaultKey) ? defaultKey : undefined;
  const demo = `${url}/_sandbox/#/live?project=demo`;
  if (options.json) {
    const secure = tls && { tlsUrl: tls.url, caUrl: tls.caUrl };
    const place = { url, ...secure, ...(key && { apiKey: key }), control: `${url}/_sandbox` };
    print(`${JSON.stringify({ event: 'ready', ...place, ...(options.demo && { demo }) })}\n`);
    return;
  }
  print(`field-sandbox is ready
  URL      ${url}${toTlsLines(tls)}
  key      ${key ?? 'as given by --api-key'} (header apikey)
  control  ${url}/_sandbox
  console  ${url}/_sandbox/${options.demo ? `\n  demo     ${demo} (a filled project, to look around in)` : ''}

Try it, one job that is taken and one that fails downstream:
  curl -X POST ${url}/async/projects/demo/jobs -H 'apikey: ${key ?? 'YOUR-KEY'}' -H 'content-type: application/json' -d '{"jobs":[{"id":"ORD-1"},{"id":"FAIL-GEOCODE-1"}]}'
and what was told of it, a moment later:
  curl ${url}/_sandbox/projects/demo/callbacks

`);
}

/** Where it is over TLS, and what makes a client trust it. */
function toTlsLines(tls: Sandbox['tls']): string {
  if (!tls) return '';
  const trust = tls.caUrl && `; to trust it: curl -o ca.pem ${tls.caUrl}`;
  return `\n  https    ${tls.url}${trust ?? ''}`;
}
