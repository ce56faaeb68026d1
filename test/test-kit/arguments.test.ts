/** Wrong arguments of all methods: each error names the method, says what was expected, and where. */
import { describe, expect, test } from 'vitest';
import {
  type CallbackListener,
  createCallbackReceiver,
  failureCases,
  type Project,
  type Sandbox,
  SandboxError,
  startSandbox,
} from '../../src/index.ts';
import { useKit } from './kit.ts';

const sandbox = useKit({ clock: 'frozen' });

/** Calls a method with arguments that its type does not allow. */
function call(of: object, path: string, given: readonly unknown[]): unknown {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const owner = names.reduce<unknown>((at, name) => Object(at)[name], of);
  return (owner as Record<string, (...all: readonly unknown[]) => unknown>)[last]?.(...given);
}

/** Returns the error of a method, whether it throws or rejects. */
async function errorOf(run: () => unknown): Promise<SandboxError> {
  try {
    await run();
  } catch (error) {
    expect(error).toBeInstanceOf(SandboxError);
    return error as SandboxError;
  }
  throw new Error('it has accepted the arguments');
}

type Case = readonly [method: string, given: readonly unknown[], message: string];

const circular: Record<string, unknown> = {};
circular['self'] = circular;

const ofProject: readonly Case[] = [
  ['trigger', ['jobs.import.failed', { ids: 'A' }], 'ids: expected a list of texts, got "A"'],
  ['trigger', ['jobs.import.failed', { reason: 1 }], 'reason: expected a text, got 1'],
  ['trigger', ['jobs.import.failed', { data: circular }], 'data: expected a value that JSON can express'],
  ['trigger', ['jobs.import.failed', null], 'expected an object with ids, reason, operation'],
  ['fail', ['asyncImportJobs', 'latency', { tmes: 1 }], 'unknown "tmes", did you mean times?; expected times, nth'],
  ['fail', ['asyncImportJobs', 'latency', { nth: '2' }], 'nth: expected an integer from 1, got "2"'],
  ['fail', ['asyncImportJobs', 'latency', { ids: 5 }], 'ids: expected an id, a glob such as "ORD-*"'],
  ['fail', ['asyncImportJobs', 'latency', { times: 0 }], 'times: expected an integer from 1, got 0'],
  ['fail', ['asyncImportJobs', 'latency', { after: '3 sec' }], 'after: expected milliseconds or'],
  ['fail', ['asyncImportJobs', 'latency', { processed: true }], 'processed: only responses and connections have it'],
  [
    'fail',
    ['asyncImportJobs', 'status503'],
    'kind: expected a kind of failure that asyncImportJobs has, got "status503"',
  ],
  ['fail', ['submitLocation', 'callback-drop'], 'kind: expected a kind of failure that submitLocation has'],
  ['fail', [undefined, 'latency'], 'operation: expected an operationId'],
  ['use', [5], 'expected a name, a file, a YAML text, a scenario or a failure, got 5'],
  ['useOnly', [null], 'expected a name, a file, a YAML text, a scenario or a failure, got null'],
  ['use', [circular], 'expected a name, a file, a YAML text, a scenario or a failure, got [object Object]'],
  ['use', ['./nofile.yaml'], './nofile.yaml: file not found'],
  ['useOnly', ['name: x\nrules: 5\n'], 'scenario:2:8  '],
  ['send', ['registrUser', {}], 'operation: expected an operationId, got "registrUser"'],
  ['send', ['asyncImportJobs', circular], 'body: expected a value that JSON can express'],
  ['send', ['asyncUpdateJob', {}], 'params: expected jobId, got none'],
  [
    'send',
    ['asyncUpdateJob', {}, { params: { jobID: 'J-1' } }],
    'params: unknown "jobID", did you mean jobId?; expected',
  ],
  ['send', ['asyncUpdateJob', {}, { header: {} }], 'unknown "header", did you mean headers?'],
  ['send', ['asyncUpdateJob', {}, { params: 'ORD-1' }], 'params: expected an object, got "ORD-1"'],
  ['clock.advance', [undefined], 'expected a duration or "idle", got undefined'],
  ['clock.advance', ['idel'], 'expected a duration or "idle", got "idel". Did you mean "idle"?'],
  ['clock.advance', ['10 sec'], 'expected a duration or "idle", got "10 sec". Did you mean "10s"?'],
  ['clock.advance', [Number.NaN], 'expected a duration or "idle", got NaN'],
  ['clock.freeze', [5], 'now: expected a time such as "2026-03-02T09:00:00Z", or a valid Date, got 5'],
  ['clock.freeze', [new Date(Number.NaN)], 'now: expected a time such as'],
  ['clock.resume', ['20'], 'rate: expected a rate from 0.1 to 1000, such as 20 or "20x", got "20"'],
  ['clock.resume', [0], 'rate: expected a rate from 0.1 to 1000'],
  ['callbacks.sendTo', [5], 'expected a receiver, a URL, or null for the inbox, got 5'],
  ['callbacks.sendTo', [null, null], 'expected an object with secret, got null'],
  ['callbacks.sendTo', [null, { secrt: 'x' }], 'unknown "secrt", did you mean secret?; expected secret'],
  ['callbacks.waitFor', [{ timeout: 'soon' }], 'timeout: expected milliseconds or a number and ms'],
  ['callbacks.waitFor', [{ timeout: -1 }], 'timeout: expected milliseconds or a number and ms'],
  ['requests.waitFor', [{ count: 0 }], 'count: expected an integer from 1 to 1000, got 0'],
  ['requests.list', ['asyncImportJobs'], 'filter: expected an object with texts'],
  ['jobs.list', [{ status: {} }], 'filter: expected an object with texts'],
  ['jobs.get', [], 'id: expected an id, got undefined'],
  ['locations.get', [''], 'id: expected an id, got ""'],
  ['fork', [null], 'id: expected a text, got null'],
  ['fork', ['x', { atchange: 1 }], 'unknown "atchange", did you mean atChange?; expected atChange'],
  ['restore', [1n], 'snapshot: expected a value that JSON can express, got 1'],
  ['listen', [204, { takover: true }], 'unknown "takover", did you mean takeover?; expected secret, profile, since'],
  ['listen', [204, { takeover: 'yes' }], 'takeover: expected true or false, got "yes"'],
  ['listen', [204, { secret: 'geheim' }], 'secret: a secret must begin with whsec_'],
  ...['500', 99, 1000, {}, [500, 204], null, { status: 200, header: {} }, { status: 200, headers: { 'a b': 'c' } }].map(
    (handler): Case => ['listen', [handler], 'handler: expected a status from 200 to 999, or { status'],
  ),
];

const check = (error: SandboxError, method: string, message: string) => {
  expect(error.message.startsWith(`${method}: ${message}`), error.message).toBe(true);
  expect(error.code).toBe('invalid_argument');
  expect(error.violations).toEqual([{ path: expect.any(String), message: expect.any(String) }]);
};

describe('of a project', () => {
  let project: Project;
  test.each(ofProject)('%s with %o', async (method, given, message) => {
    project ??= sandbox().project();
    check(await errorOf(() => call(project, method, given)), method, message);
    expect(await project.callbacks.list()).toEqual([]);
  });

  test('values that only the sandbox knows are invalid requests', async () => {
    const error = await errorOf(() => call(sandbox().project(), 'trigger', ['jobs.imprt.failed']));
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, violations: [{ path: 'type' }] });
  });
});

test.each<Case>([
  [
    'answer',
    ['x'],
    'expected a status from 200 to 999, or { status, headers?, body? } with texts as headers, or a function',
  ],
  ['answer', [null], 'expected a status'],
  ['answer', [200, undefined], 'expected a status'],
  ['answer', [{ status: 200, body: circular }], 'expected a status'],
  ['waitFor', [null], 'expected an object with type, verified, count, timeout, got null'],
  ['waitFor', [{ verified: 1 }], 'verified: expected true or false, got 1'],
  ['waitFor', [{ timeout: 'soon' }], 'timeout: expected milliseconds'],
])('%s of a receiver or listener with %o', async (method, given, message) => {
  await using receiver = await createCallbackReceiver();
  await using listener: CallbackListener = await sandbox().project().listen();
  for (const one of [receiver, listener]) check(await errorOf(() => call(one, method, given)), method, message);
});

const kit = {
  createCallbackReceiver,
  failureCases,
  startSandbox,
  forEachFailure: (...given: Parameters<Sandbox['forEachFailure']>) => sandbox().forEachFailure(...given),
  project: (...given: Parameters<Sandbox['project']>) => sandbox().project(...given),
};

const body = () => undefined;
test.each<Case>([
  ['startSandbox', [null], 'options: expected an object, got null'],
  ['startSandbox', [{ scenarios: [circular] }], 'scenarios: expected a string, got [object Object]'],
  ['startSandbox', [{ scenarios: [null] }], 'scenarios: expected a string, got [null]'],
  ['startSandbox', [{ clock: new Date(Number.NaN) }], 'clock: expected a string, got null'],
  ['startSandbox', [{ clock: 'later' }], 'clock: expected'],
  ['createCallbackReceiver', [{ secrt: 'x' }], 'unknown "secrt", did you mean secret?; expected secret, profile'],
  ['createCallbackReceiver', [{ secret: 5 }], 'secret: expected a text, got 5'],
  ['createCallbackReceiver', [{ secret: 'geheim' }], 'secret: a secret must begin with whsec_'],
  ['createCallbackReceiver', [{ profile: './none.yaml' }], './none.yaml: '],
  ['failureCases', [], 'filter: expected an object with operation and kinds, got undefined'],
  [
    'failureCases',
    [{ operation: [] }],
    'operation: expected the name of an operation, a glob or a list of them, got []',
  ],
  ['failureCases', [{ operation: 'syncImportJob' }], 'operation: no operation matches "syncImportJob", did you mean'],
  ['failureCases', [{ operation: 'syncCreateJob', kinds: 'callback-*' }], 'kinds: syncCreateJob has no failure'],
  ['forEachFailure', [null, body], 'options: expected an object with operation and kinds, got null'],
  ['forEachFailure', [{ operation: 'syncCreateJob' }], 'body: expected a function (project, failure)'],
  ['forEachFailure', [{ operation: 'syncCreateJob', concurrency: 0 }, body], 'concurrency: expected an integer from 1'],
  ['forEachFailure', [{ operation: 'syncCreateJob', timeout: {} }, body], 'timeout: expected milliseconds'],
  ['project', [5], 'expected an id, or no argument for a new one, got 5'],
])('%s with %o', async (method, given, message) => {
  check(await errorOf(() => call(kit, method, given)), method, message);
});
