/** A trial: a command against a sandbox of its own, what both did, and what ends it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runTrial, type TrialRequest } from '../../../src/cli/trial/trial.ts';
import { runDefaults } from '../../../src/config/option-table.ts';
import { readSandboxFiles } from '../../../src/config/sandbox-files.ts';
import { createWallClock } from '../../../src/lib/time.ts';
import { compileScenario } from '../../../src/scenarios/compile.ts';
import { parseScenario } from '../../../src/scenarios/parse.ts';
import { readOptions } from '../../harness/start-sandbox.ts';
import { script } from '../run/script.ts';

const options = readOptions(runDefaults);
const files = await readSandboxFiles(options);
const wall = createWallClock();

const runScript = (text: string, more: Partial<TrialRequest> = {}) =>
  runTrial({
    ...{ options, files, io: process, wall, scenarios: [], environment: {}, command: script(text) },
    ...{ signal: new AbortController().signal, bugs: new Set<string>() },
    ...more,
  });

test('returns the records of all lives, after the work that was due, and the changes of records', async () => {
  const { lives } = await runScript(`
    const update = (status) => send('PATCH', '/sync/projects/a/jobs', { id: 'B', status });
    await send('POST', '/sync/projects/a/jobs', { id: 'B', status: 'PENDING', address: { streetAddress: '1 Main St' } });
    await update('DISPATCH'); await update('DISPATCH'); await update('DELIVERED');
    await send('POST', '/projects/a/locations', { deviceId: 'VAN', eventDateTime: '2026-03-02T09:00:00Z',
      geoJson: { type: 'Point', coordinates: [1, 2] } });
    await control('POST', '/projects/a/reset');
    await jobs(2, 'a');`);
  expect(
    lives.map(({ project, records }) => [project, ...records.map(({ collection, id }) => `${collection} ${id}`)]),
  ).toEqual([
    ['a', 'jobs B', 'locations VAN'],
    ['a', 'jobs J-1', 'jobs J-2'],
  ]);
  expect(lives[0]?.changes.map(({ collection, id, value }) => [collection, id, value['status']])).toEqual([
    ['jobs', 'B', 'DISPATCH'],
    ['jobs', 'B', 'DELIVERED'],
    ['locations', 'VAN', undefined],
  ]);
  expect(lives[1]?.changes).toEqual([]);
});

test('sends no callback after the command, and lists only callbacks that were raised before', async () => {
  const { lives } = await runScript(`
    await control('PUT', '/projects/a/clock', { mode: 'frozen' });
    await send('POST', '/async/projects/a/jobs', { jobs: [{ id: 'FAIL-1' }] });
    await control('POST', '/projects/a/clock/advance', { until: 'idle' });
    await send('POST', '/async/projects/a/jobs', { jobs: [{ id: 'FAIL-2' }] });`);
  expect(lives[0]?.callbacks.map(({ body, clockRate }) => [body.data.failed[0]?.id, clockRate])).toEqual([
    ['FAIL-1', 0],
  ]);
});

/** Compiles a scenario of one effect, for all projects. */
async function scenarioOf(effect: string) {
  const text = `name: down\npriority: first\nrules: [{ scope: server, then: ${effect} }]`;
  const scenario = parseScenario(text, 'down');
  if (!scenario.ok) throw new Error('the scenario is not valid');
  return compileScenario(scenario.scenario);
}

test('says that the command waits for a response that is held back, and that it goes on', async () => {
  const stopped = new AbortController();
  const waits: boolean[] = [];
  const { end } = await runScript('await jobs(1);', {
    scenarios: [await scenarioOf('{ connection: hang }')],
    signal: stopped.signal,
    onWait: (isWaiting) => {
      waits.push(isWaiting);
      stopped.abort();
    },
  });
  expect([end, waits]).toEqual(['aborted', [true, false]]);
});

test.each([
  ['that the command waited for the end of a slow response', '', true],
  ['nothing of the kind if it left, whatever else the project holds open', 'signal: AbortSignal.timeout(300)', false],
])('says %s', async (_, init, isWaitedOut) => {
  const text = `
    const { setTimeout } = await import('node:timers/promises');
    const follower = new AbortController();
    const headers = { apikey, 'content-type': 'application/json' };
    await control('POST', '/projects/a/reset');
    void fetch(url + '/_sandbox/projects/a/listener', { headers, signal: follower.signal }).catch(() => 0);
    const body = JSON.stringify({ jobs: [{ id: 'ORD-1' }] });
    const response = await fetch(url + '/async/projects/a/jobs', { method: 'POST', headers, body, ${init} });
    await response.text().catch(() => setTimeout(1500));
    follower.abort();`;
  const effect = '{ respond: { status: 503, body: { message: slow } }, connection: drip }';
  const { waitedOut } = await runScript(text, { scenarios: [await scenarioOf(effect)] });
  expect(waitedOut !== undefined).toBe(isWaitedOut);
});

describe('ends the command', () => {
  const isRunning = (pid: number): boolean => {
    try {
      // A process that has ended but was not collected yet is a zombie.
      return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
    } catch {
      return false;
    }
  };

  test.runIf(process.platform === 'linux')('with all of its processes, also those in other sessions', async () => {
    const controller = new AbortController();
    const maxRequests = (): number => {
      controller.abort();
      return Number.POSITIVE_INFINITY;
    };
    const { end, output } = await runScript(
      `const { spawn } = await import('node:child_process');
      const wait = ['-e', 'setInterval(() => {}, 1000)'];
      for (const detached of [true, false]) console.log(spawn(process.execPath, wait, { detached, stdio: 'ignore' }).pid);
      await jobs(1);
      await new Promise(() => setInterval(() => {}, 1000));`,
      { signal: controller.signal, maxRequests },
    );
    const pids = output.trim().split('\n').map(Number);
    expect([end, pids.length]).toEqual(['aborted', 2]);
    // A killed process still runs for a moment.
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  test('that sends too many requests', async () => {
    const { end, requests } = await runScript('for (;;) await jobs(1)', { maxRequests: () => 10 });
    expect(end).toBe('storm');
    expect(requests.length).toBeGreaterThan(10);
  });

  test('but not one whose requests belong to no operation', async () => {
    const checks = `for (let n = 0; n < 30; n += 1) await send('GET', '/health');
      await new Promise((done) => setTimeout(done, 300));`;
    const { end, requests } = await runScript(checks, { maxRequests: () => 10 });
    expect([end, requests.length]).toEqual(['exited', 30]);
  });
});
