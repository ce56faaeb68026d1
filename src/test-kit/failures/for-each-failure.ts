/** Runs a test body once under each failure of an operation, in a project of its own. */
import { isNativeError } from 'node:util/types';
import pLimit from 'p-limit';
import { maxTimerMs } from '../../lib/time.ts';
import { sleep } from '../../lib/timers.ts';
import type { FailureCase } from '../../scenarios/cases.ts';
import type { ControlClient } from '../control-client.ts';
import { checkAll, checkArguments } from '../methods.ts';
import type { TestProject } from '../project/project.ts';
import { checkWait, toWords } from '../project/waiting.ts';
import { SandboxError, toErrorText } from '../sandbox-error.ts';
import { checkFilter, readTraits, selectCases, toTestFailure } from './cases.ts';
import type { FailureOptions, SurvivedFailure, TestFailure } from './types.ts';

/** A test of a client under a failure. It uses only this project. */
export type FailureBody = (project: TestProject, failure: TestFailure) => unknown;

interface FailureSource {
  readonly client: ControlClient;
  /** Creates an unused project. */
  project(): TestProject;
}

const defaultTimeout = '30s';

/**
 * Runs the test body under each failure. Other projects are not affected.
 * @throws SandboxError that lists the message of every case that failed; its `cause` is the error of the first
 */
export async function runForEachFailure(
  source: FailureSource,
  options: FailureOptions,
  body: FailureBody,
): Promise<readonly SurvivedFailure[]> {
  checkAll(
    () => checkArguments('failureOptions', [options, body]),
    () => checkFilter(Object(options)),
  );
  const { timeoutMs } = checkWait({ timeout: options.timeout ?? defaultTimeout });
  const limit = pLimit(options.concurrency ?? 1);
  const { rate = 1 } = await source.project().clock.read();
  const cases = selectCases(options, await readTraits(source.client), rate);
  const results = await Promise.all(cases.map((one) => limit(() => runCase(source.project, one, timeoutMs, body))));
  const failed = results.flatMap((result) => ('error' in result ? [result] : []));
  if (failed.length > 0) throw toFailedError(failed, cases.length);
  const survived = results.flatMap((result) => ('error' in result ? [] : [result]));
  if (survived.some(({ reached }) => reached)) return survived;
  throw new SandboxError(
    `none of the ${cases.length} failures happened: the test body must send ` +
      `${[...new Set(cases.map(({ operation }) => operation))].join(' or ')} to project.url, for project.id; ` +
      'failures of callbacks need an entry that fails, such as one with the id FAIL-1',
    { code: 'not_reached' },
  );
}

interface FailedCase {
  readonly case: string;
  readonly error: unknown;
  /** Whether the failure happened before the body failed. */
  readonly reached: boolean;
}

async function runCase(
  createProject: FailureSource['project'],
  failure: FailureCase,
  timeoutMs: number,
  body: FailureBody,
): Promise<SurvivedFailure | FailedCase> {
  const project = createProject();
  const one = toTestFailure(failure);
  const isReached = async (): Promise<boolean> => {
    const { rules } = await project.scenarios();
    return rules.some(({ scenario, fired }) => scenario === failure.name && fired > 0);
  };
  try {
    await project.use(one);
    await within(timeoutMs, async () => body(project, one));
    const reached = await isReached();
    await project.reset();
    return { ...one, reached };
  } catch (error) {
    // The body may have failed because the sandbox has gone.
    const reached = await isReached().catch(() => true);
    await project.reset().catch(() => undefined);
    return { case: one.case, error, reached };
  }
}

async function within(ms: number, run: () => Promise<unknown>): Promise<void> {
  const over = new AbortController();
  // Keeps the process alive, because the body may wait for something that does not.
  const late = sleep(Math.min(ms, maxTimerMs), undefined, { signal: over.signal }).then(() => {
    throw new SandboxError(`not finished after ${toWords(ms)}`, { code: 'timeout' });
  });
  await Promise.race([run(), late]).finally(() => over.abort());
}

/** Creates an error with the messages of all cases. Test runners print the stack and the difference of its `cause`. */
function toFailedError(failed: readonly FailedCase[], count: number): Error {
  const lines = failed.map(({ case: id, reached, error }) => {
    const text = isNativeError(error) ? error.message : toErrorText(error);
    return `  ${id}${reached ? '' : ' (not reached)'}: ${text.replaceAll('\n', '\n    ')}`;
  });
  const first = `the test body failed in ${failed.length} of ${count} cases`;
  return new SandboxError([first, ...lines].join('\n'), { code: 'failed', cause: failed[0]?.error });
}
