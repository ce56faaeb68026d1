/** Wrong arguments of all methods: each error names the method, says what was expected, and where. `--update` writes them. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createCallbackReceiver, failureCases, type Sandbox, SandboxError, startSandbox } from '../../src/index.ts';
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

type Case = readonly [method: string, given: readonly unknown[]];

const circular: Record<string, unknown> = {};
circular['self'] = circular;

/** Returns the message of each call, under the call. */
async function toText(of: object, cases: readonly Case[]): Promise<string> {
  const texts: string[] = [];
  for (const [method, given] of cases) {
    const { message, code, violations } = await errorOf(() => call(of, method, given));
    expect(code).toBe('invalid_argument');
    expect(violations.length).toBeGreaterThan(0);
    texts.push(`${method} ${inspect(given, { breakLength: Number.POSITIVE_INFINITY })}\n  ${message}\n`);
  }
  return texts.join('\n');
}

const ofProject: readonly Case[] = [
  ['trigger', ['jobs.import.failed', { ids: 1 }]],
  ['trigger', ['jobs.import.failed', { reason: 1 }]],
  ['trigger', ['jobs.import.failed', { data: circular }]],
  ['trigger', ['jobs.import.failed', null]],
  ['fail', ['asyncImportJobs', 'latency', { ids: 5 }]],
  ['fail', ['asyncImportJobs', 'latency', { ids: [] }]],
  ['fail', ['asyncImportJobs', 'latency', { after: '3 sec' }]],
  ['fail', ['asyncImportJobs', 'latency', { processed: true }]],
  ['fail', ['asyncImportJobs', 'status503']],
  ['fail', ['asyncImportJobs', 'status-409']],
  ['fail', ['submitLocation', 'callback-drop']],
  ['fail', [undefined, 'latency']],
  ['fail', ['asyncImportJobs', 'latncy', { times: 0, nth: -1, ids: 5, after: 'x', processed: true, tmes: 1 }]],
  ['use', [5]],
  ['useOnly', [null]],
  ['use', [circular]],
  ['use', ['./nofile.yaml']],
  ['useOnly', ['name: x\nrules: 5\n']],
  ['send', ['registrUser', {}]],
  ['send', ['asyncImportJobs', circular]],
  ['send', ['asyncUpdateJob', {}]],
  ['send', ['asyncUpdateJob', {}, { params: { jobId: null } }]],
  ['send', ['asyncUpdateJob', {}, { params: { jobID: 'J-1' } }]],
  ['send', ['asyncUpdateJob', {}, { params: 'ORD-1' }]],
  ['send', ['asyncUpdateJob', {}, { params: { jobId: 'J-1' }, headers: { 'no name': 'x' } }]],
  ['send', ['asyncUpdateJb', circular, { params: 5, headers: 4, header: {}, body: {} }]],
  ['send', ['asyncUpdateJob', {}, null]],
  ['clock.advance', [undefined]],
  ['clock.advance', ['idel']],
  ['clock.advance', ['10 sec']],
  ['clock.advance', [Number.NaN]],
  ['clock.freeze', [5]],
  ['clock.freeze', [new Date(Number.NaN)]],
  ['clock.resume', ['20']],
  ['clock.resume', [0]],
  ['callbacks.sendTo', [5]],
  ['callbacks.sendTo', [null, null]],
  ['callbacks.sendTo', [null, { secrt: 'x' }]],
  ['callbacks.waitFor', [{ timeout: 'soon' }]],
  ['callbacks.waitFor', [{ timeout: -1 }]],
  ['requests.waitFor', [{ count: 0 }]],
  ['requests.waitFor', [{ min: 2 }]],
  ['requests.list', ['asyncImportJobs']],
  ['jobs.list', [{ status: {}, limit: 10, stats: 'x' }]],
  ['jobs.get', []],
  ['locations.get', ['']],
  ['jobs.get', ['\ud800']],
  ['fork', [null]],
  ['fork', ['x', { atchange: 1 }]],
  ['restore', [1n]],
  ['restore', []],
  ['listen', [204, { takover: true }]],
  ['listen', [204, { takeover: 'yes' }]],
  ['listen', [204, { secret: 'geheim' }]],
  ...['500', 99, 1000, {}, [500, 204], null, { status: 200, header: {} }, { status: 200, headers: { 'a b': 'c' } }].map(
    (handler): Case => ['listen', [handler]],
  ),
];

test('of a project, which changes nothing', async () => {
  const project = sandbox().project();
  await expect(await toText(project, ofProject)).toMatchFileSnapshot('arguments/project.txt');
  expect(await project.callbacks.list()).toEqual([]);
});

test('of a project, values that only the sandbox knows are invalid requests', async () => {
  const error = await errorOf(() => call(sandbox().project(), 'trigger', ['jobs.imprt.failed']));
  expect(error).toMatchObject({ code: 'invalid_request', status: 400, violations: [{ path: 'type' }] });
});

const serverWide = { name: 'x', rules: [{ scope: 'server', then: { latency: '1s' } }] };

test.each<[...Case, message: string]>([
  ['clock.advance', ['1s'], 'only a frozen clock can be advanced: freeze it first, with clock.freeze()'],
  ['use', ['outge'], 'scenarios[0]: there is no scenario "outge", did you mean outage?'],
  ['use', [serverWide], expect.stringMatching(/SANDBOX_SCENARIO_YAML or scenarios of startSandbox$/)],
  ['trigger', ['jobs.import.failed', { ids: [''] }], 'ids[0]: expected a text that is not empty, got ""'],
  ['callbacks.list', [{ entry: '' }], 'entry: expected a text that is not empty, got ""'],
])('of a project, what the sandbox refuses is not named by its paths: %s', async (method, given, message) => {
  const project = sandbox().project();
  await project.clock.resume();
  const error = await errorOf(() => call(project, method, given));
  expect(error.message.replace(`${method}: `, '')).toEqual(message);
});

const ofReceiver: readonly Case[] = [
  ['answer', ['x']],
  ['answer', [null]],
  ['answer', [200, undefined]],
  ['answer', [{ status: 200, body: circular }]],
  ['waitFor', [null]],
  ['waitFor', [{ verified: 1 }]],
  ['waitFor', [{ timeout: 'soon' }]],
];

test('of a receiver and a listener', async () => {
  await using receiver = await createCallbackReceiver();
  await using listener = await sandbox().project().listen();
  for (const one of [receiver, listener])
    await expect(await toText(one, ofReceiver)).toMatchFileSnapshot('arguments/receiver.txt');
});

const kit = {
  createCallbackReceiver,
  failureCases,
  startSandbox,
  forEachFailure: (...given: Parameters<Sandbox['forEachFailure']>) => sandbox().forEachFailure(...given),
  project: (...given: Parameters<Sandbox['project']>) => sandbox().project(...given),
};

const body = () => undefined;
const ofKit: readonly Case[] = [
  ['startSandbox', [null]],
  ['startSandbox', [{ sead: 'x' }]],
  ['startSandbox', [{ json: true }]],
  ['startSandbox', [{ seed: { of: 1 } }]],
  ['startSandbox', [{ seed: ['a', 'b'] }]],
  ['startSandbox', [{ apiKeys: [] }]],
  ['startSandbox', [{ tlsCert: 'cert.pem' }]],
  ['startSandbox', [{ scenarioYaml: 'name: x' }]],
  ['startSandbox', [{ apiKeys: ['k@mars'] }]],
  ['startSandbox', [{ scenarios: [circular] }]],
  ['startSandbox', [{ scenarios: [null] }]],
  ['startSandbox', [{ clock: new Date(Number.NaN) }]],
  ['startSandbox', [{ clock: 'later' }]],
  ['createCallbackReceiver', [{ secrt: 'x' }]],
  ['createCallbackReceiver', [{ secret: 5 }]],
  ['createCallbackReceiver', [{ secret: 'geheim' }]],
  ['createCallbackReceiver', [{ profile: './none.yaml' }]],
  ['failureCases', []],
  ['failureCases', [{ operation: [] }]],
  ['failureCases', [{ operation: 'syncImportJob' }]],
  ['failureCases', [{ operation: 'syncCreateJob', kinds: 'callback-*' }]],
  ['failureCases', [{ operation: 'syncCreateJob', kinds: 'limit' }]],
  ['forEachFailure', [null, body]],
  ['forEachFailure', [{ operation: 'syncCreateJob' }]],
  ['forEachFailure', [{ operation: 'syncCreateJob', concurrency: 0 }, body]],
  ['forEachFailure', [{ operation: 'syncCreateJob', timeout: {} }, body]],
  ['project', [5]],
  ['project', ['\ud800']],
];

test('of the kit', async () => {
  await expect(await toText(kit, ofKit)).toMatchFileSnapshot('arguments/kit.txt');
});
