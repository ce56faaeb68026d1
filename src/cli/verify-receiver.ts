/** `field-sandbox verify-receiver URL`: plays the contract of callbacks against somebody's receiver, and reports. */
import { constants } from 'node:os';
import { styleText } from 'node:util';
import { createWallClock } from '../base/time.ts';
import type { Options } from '../option-table.ts';
import { extendEnvironment, type OptionTexts, parseOptions, readEnvironment } from '../options.ts';
import { checkCount, checkReceiver, type ReceiverCheck } from '../receiver-check/play-all.ts';
import { untilSignal } from './child.ts';
import { junitBeginning, writeSuites } from './junit-file.ts';
import { showProgress } from './progress.ts';
import type { Paint } from './report.ts';
import { clearReport } from './report-file.ts';
import { hideSecrets } from './shown.ts';
import { createReceiverReport, type ReceiverReport, toShownUrl, toSuites } from './verify-report.ts';

/** What the command was asked for. */
export interface VerifyRequest {
  readonly url: string;
  readonly given: OptionTexts;
  /** Where the report goes as JUnit XML. */
  readonly junit: string | undefined;
  /** How long is waited for what; the contract's where left out. */
  readonly limits?: Pick<ReceiverCheck, 'attemptMs' | 'wholeMs' | 'pauseMs'>;
}

type Write = (text: string) => void;

const paint: Paint = (colour, text) => styleText(colour, text, { stream: process.stdout });

/** @returns 0 where every check passes, 1 where one does not, 2 where none could be played; a signal's code where one came */
export async function runVerifyReceiver(request: VerifyRequest, print: Write, complain: Write): Promise<number> {
  const { given, junit } = request;
  const unwritable = junit === undefined ? undefined : await clearReport(junit, junitBeginning);
  const parsed = parseOptions(given, readOwnEnvironment());
  const mistakes = [...(parsed.ok ? [] : parsed.mistakes), ...(unwritable ? [`--junit: ${unwritable}`] : [])];
  if (parsed.ok && !unwritable) return check(request, parsed.options, print, complain);
  complain(`${mistakes.join('\n')}\n`);
  return 2;
}

/** Of the other options none means anything here. */
function readOwnEnvironment(): Readonly<Record<string, string>> {
  const { SANDBOX_CALLBACK_SECRET, SANDBOX_CALLBACK_ALLOW } = readEnvironment();
  return {
    ...(SANDBOX_CALLBACK_SECRET !== undefined && { SANDBOX_CALLBACK_SECRET }),
    ...(SANDBOX_CALLBACK_ALLOW !== undefined && { SANDBOX_CALLBACK_ALLOW }),
  };
}

async function check(request: VerifyRequest, options: Options, print: Write, complain: Write): Promise<number> {
  const wall = createWallClock();
  const ending = new AbortController();
  const report = createReceiverReport(request.url, paint);
  const startedMs = wall.elapsed();
  const toMs = (): number => wall.elapsed() - startedMs;
  const toProgress = (): string =>
    `field-sandbox: ${report.results().length} of ${checkCount} checks, ${(toMs() / 1000).toFixed(1)} s`;
  const hide = showProgress(process.stderr, wall, toProgress, extendEnvironment({})['TERM']);
  const { callbackSecret: secret, callbackAllow: allow } = options;
  const about = { url: request.url, secret, allow, wall, signal: ending.signal, ...request.limits };
  const checking = checkReceiver(about, (result) => print(hideSecrets(report.take(result), options)));
  const signal = await untilSignal(checking).finally(hide);
  if (signal) {
    ending.abort();
    complain(`${signal}: ended before all was checked\n`);
    return 128 + constants.signals[signal];
  }
  const checked = await checking;
  if (!('results' in checked)) {
    complain(
      `${'refusal' in checked ? toRefused(request.url, checked.refusal) : toUnreached(request.url, checked.unreached)}\n`,
    );
    return 2;
  }
  print(hideSecrets(report.end(toMs()), options));
  return conclude(request, report, options, complain);
}

/** Writes what is wanted beside the report. @returns the exit code */
async function conclude(
  { url, junit }: VerifyRequest,
  report: ReceiverReport,
  options: Options,
  complain: Write,
): Promise<number> {
  const properties = { receiver: hideSecrets(toShownUrl(url), options) };
  const suites = toSuites(report.results());
  const name = 'field-sandbox verify-receiver';
  const unwritten = junit === undefined ? undefined : await writeSuites(junit, name, suites, properties, options);
  if (unwritten !== undefined) complain(`--junit: ${unwritten}\n`);
  return report.isPassed() && unwritten === undefined ? 0 : 1;
}

function toRefused(url: string, refusal: string): string {
  // There may be a password in it.
  return url.includes('@') ? refusal : `${refusal}, got "${url}"`;
}

function toUnreached(url: string, why: string): string {
  return `${toShownUrl(url)} can't be reached: ${why}; ${toHint(why)}`;
}

function toHint(why: string): string {
  if (why.startsWith('certificate')) return 'NODE_EXTRA_CA_CERTS=FILE names an authority of your own';
  return why.includes('TLS') ? 'does it speak https there?' : 'is your receiver running there?';
}
