/** The sandbox of the kit in the process of a test that fakes all timers and clocks, as vitest, sinon and node:test do. */
import { mock } from 'node:test';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createCallbackReceiver, startSandbox } from '../../../src/index.ts';
import { importJobs, withoutEnvironment } from '../kit.ts';

const fakes: readonly (readonly [string, () => void])[] = [
  ['vitest, and sinon, whose timers vitest has', () => vi.useFakeTimers()],
  ['node:test', () => mock.timers.enable()],
];

/** Without microtasks, `fetch` itself does not work. */
const all = ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'performance', 'queueMicrotask'] as const;

afterEach(() => {
  vi.useRealTimers();
  mock.timers.reset();
});

describe.each(fakes)('with the fake timers of %s', (_, fake) => {
  test('a sandbox that was started before sends callbacks, waits, times out and closes', async () => {
    withoutEnvironment();
    const sandbox = await startSandbox();
    const receiver = await createCallbackReceiver();
    const project = sandbox.project();
    await project.callbacks.sendTo(receiver.url);
    fake();
    expect((await importJobs(project, 'FAIL-1')).status).toBe(202);
    expect((await receiver.waitFor()).length).toBe(1);
    expect(await project.callbacks.waitFor()).toMatchObject([{ state: 'delivered' }]);
    await expect(project.requests.waitFor({ count: 9, timeout: 50 })).rejects.toThrow('waited 50 ms');
    await expect(receiver.waitFor({ count: 9, timeout: 50 })).rejects.toThrow('50 ms');
    await Promise.all([sandbox.close(), receiver.close()]);
  });

  test('a sandbox that starts then works too, with a large import and a delay of a scenario', async () => {
    withoutEnvironment();
    fake();
    const sandbox = await startSandbox();
    const project = sandbox.project();
    await project.use({ name: 'slow', rules: [{ then: { latency: '20ms' } }] });
    const ids = Array.from({ length: 9_000 }, (_one, index) => `J-${index}`);
    expect((await importJobs(project, ...ids)).status).toBe(202);
    expect((await project.requests.waitFor()).length).toBe(1);
    await sandbox.close();
  });
});

test('a sandbox closes while microtasks are faked too, as by sinon', async () => {
  withoutEnvironment();
  const sandbox = await startSandbox();
  await importJobs(sandbox.project(), 'J-1');
  vi.useFakeTimers({ toFake: [...all] });
  await sandbox.close();
});
