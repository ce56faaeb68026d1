/** `field-sandbox verify-receiver URL`: checks a callback receiver against the callback contract. */
import { constants } from 'node:os';
import { type CallbackFormat, createCallbackFormat } from '../../callbacks/format.ts';
import { parseSecret } from '../../callbacks/signature.ts';
import { ConfigError } from '../../config/config-error.ts';
import { readProfile } from '../../config/config-files.ts';
import type { Options } from '../../config/option-table.ts';
import { type OptionTexts, parseOptions, readEnvironment } from '../../config/options.ts';
import { createWallClock } from '../../lib/time.ts';
import { type Io, printTo } from '../frame/io.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { clearReports, junitBeginning, writeJunit } from '../output/report-file.ts';
import { paintFor } from '../output/text.ts';
import { untilSignal } from '../process/signals.ts';
import { type CheckResult, checkReceiver, toShownUrl } from './check-receiver.ts';
import type { ReceiverCheck } from './context.ts';
import { isPassed, toEndText, toResultText, toSuites } from './report.ts';

/** Arguments and options of the command. */
export interface VerifyRequest {
  readonly url: string;
  readonly given: OptionTexts;
  /** File for the report as JUnit XML. */
  readonly junit: string | undefined;
  /** Timeouts; the contract's by default. */
  readonly limits?: Pick<ReceiverCheck, 'attemptMs' | 'wholeMs' | 'pauseMs'>;
}

/**
 * @returns 0 if all checks pass, 1 if one does not; 128 and the signal's number after a signal
 * @throws ConfigError if none could run
 */
export async function runVerifyReceiver(request: VerifyRequest, io: Io): Promise<number> {
  const { given, junit } = request;
  const environment = Object.entries(readEnvironment(io.env)).filter(([name]) => ownNames.includes(name));
  const parsed = parseOptions(given, Object.fromEntries(environment));
  const mistakes = parsed.ok ? [] : [...parsed.mistakes];
  await clearReports(mistakes, [['--junit', junit, junitBeginning]]);
  if (parsed.ok && mistakes.length === 0) return runChecks(request, parsed.options, io);
  throw new ConfigError(mistakes);
}

/** The variables that this command uses. */
const ownNames: readonly string[] = ['SANDBOX_CALLBACK_SECRET', 'SANDBOX_CALLBACK_ALLOW', 'SANDBOX_PROFILE'];

async function runChecks({ url, junit, limits }: VerifyRequest, options: Options, io: Io): Promise<number> {
  const print = (text: string): void => printTo(io.stdout)(hideSecrets(text, options));
  const printError = printTo(io.stderr);
  const paint = paintFor(io.stdout);
  const format = await readFormat(options);
  const wall = createWallClock();
  const ending = new AbortController();
  const startedMs = wall.elapsed();
  const { callbackSecret: secret, callbackAllow: allow } = options;
  const receiver = { url, secret, format, allow, wall, signal: ending.signal, ...limits };
  const results: CheckResult[] = [];
  const checking = checkReceiver(receiver, (result) => {
    print(toResultText(result, results.at(-1), paint));
    results.push(result);
  });
  const signal = await untilSignal(checking);
  if (signal) {
    ending.abort();
    printError(`${signal}: stopped before all checks ran\n`);
    return 128 + constants.signals[signal];
  }
  await checking;
  print(toEndText(results, url, wall.elapsed() - startedMs, paint));
  const properties = { receiver: hideSecrets(toShownUrl(url), options) };
  const problems = await writeJunit(junit, 'field-sandbox verify-receiver', toSuites(results), properties, options);
  for (const problem of problems) printError(`${problem}\n`);
  return isPassed(results) && problems.length === 0 ? 0 : 1;
}

/** Returns the form of the callbacks that the profile describes. @throws ConfigError also for the secret */
async function readFormat({ profile: file, callbackSecret }: Options): Promise<CallbackFormat> {
  const { profile } = await readProfile(file);
  const format = createCallbackFormat(profile.callbacks, profile.bodies['callback']);
  const parsed = parseSecret(callbackSecret, format.signature.secrets);
  if (!parsed.ok) throw new ConfigError([`--callback-secret: ${parsed.message}`]);
  return format;
}
