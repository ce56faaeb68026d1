/** The callback receiver: verifying, storing and responding. */
import { describe, expect, test } from 'vitest';
import {
  type CallbackReceiver,
  createCallbackReceiver,
  type Project,
  type ReceiverOptions,
} from '../../../src/index.ts';
import { importJobs, useKit } from '../kit.ts';

const sandbox = useKit();
const ownSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Runs a function with a frozen project whose callbacks go to a receiver. */
async function withReceiver(
  use: (receiver: CallbackReceiver, project: Project) => Promise<void>,
  options: ReceiverOptions = {},
): Promise<void> {
  await using receiver = await createCallbackReceiver(options);
  const project = sandbox().project();
  await project.clock.freeze();
  await project.callbacks.sendTo(receiver.url, { secret: options.secret });
  await use(receiver, project);
}

test('listens on loopback on a free port', async () => {
  await withReceiver(async ({ url }) => expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/));
});

test.each([
  ['the published secret', undefined],
  ['a secret of its own', ownSecret],
])('verifies a callback that is signed with %s', async (_, secret) => {
  await withReceiver(
    async (receiver, project) => {
      await importJobs(project, 'FAIL-1');
      expect(await project.clock.advance('idle')).toMatchObject({ delivered: 1 });
      const [callback] = await receiver.waitFor({ type: 'jobs.import.failed' });
      expect(callback).toMatchObject({ verified: true, body: { data: { failed: [{ id: 'FAIL-1' }] } } });
      expect(callback?.raw).toBe(JSON.stringify(callback?.body));
      expect(callback?.headers['webhook-id']).toBe(callback?.id);
      expect(callback?.at).toMatch(/^\d{4}-.*Z$/);
      expect(await project.callbacks.list({ state: 'delivered' })).toMatchObject([{ id: callback?.id }]);
    },
    secret === undefined ? {} : { secret },
  );
});

test('a forged callback is stored and rejected with 401, but does not match waits and uses no prepared response', async () => {
  await withReceiver(async (receiver, project) => {
    receiver.answer(418);
    await project.useOnly('forged-callbacks');
    await importJobs(project, 'FAIL-1');
    await project.clock.advance('1s');
    const [forged] = await receiver.waitFor({ verified: false });
    expect(forged).toMatchObject({ verified: false, refusal: expect.stringMatching(/./) });
    const [callback] = await project.callbacks.list();
    expect(callback?.attempts).toMatchObject([{ status: 401 }]);
    const missed = receiver.waitFor({ type: 'jobs.import.failed', timeout: '1ms' });
    await expect(missed).rejects.toMatchObject({ code: 'timeout' });
    await expect(missed).rejects.toThrow(
      `waitFor: waited 1 ms for 1 callback of type jobs.import.failed at ${receiver.url}; received: 1 of type jobs.import.failed, not verified: `,
    );
    await project.useOnly();
    await importJobs(project, 'FAIL-2');
    await project.clock.advance('1s');
    expect((await project.callbacks.list())[1]?.attempts).toMatchObject([{ status: 418 }]);
  });
});

test('rejects other requests', async () => {
  await withReceiver(async ({ url, received }) => {
    const answer = await fetch(url, { method: 'POST', body: 'no JSON' });
    expect([answer.status, await answer.json()]).toEqual([401, { message: 'Missing required headers' }]);
    expect(received).toMatchObject([{ id: '', type: '', body: undefined, raw: 'no JSON', verified: false }]);
    expect((await fetch(url)).status).toBe(405);
    expect(received).toHaveLength(1);
  });
});

describe('responses', () => {
  test('can have headers, can depend on the callback, and are a 500 if the function throws', async () => {
    await withReceiver(async (receiver, project) => {
      receiver.answer(
        { status: 429, headers: { 'retry-after': '60' }, body: { message: 'later' } },
        ({ body }) => (body.data.failed.length === 1 ? 502 : 200),
        async () => ({ status: 507, body: 'full' }),
        () => {
          throw new Error('a bug of the test');
        },
      );
      await importJobs(project, 'FAIL-1');
      await project.clock.advance('idle');
      const [callback] = await project.callbacks.list();
      expect(callback?.attempts.map(({ status }) => status)).toEqual([429, 502, 507, 500, 200]);
      await expect(receiver.waitFor()).rejects.toMatchObject({
        code: 'handler_failed',
        message: 'waitFor: a handler failed: Error: a bug of the test',
      });
      const [first, second] = (callback?.attempts ?? []).map(({ at }) => Date.parse(at));
      expect((second ?? 0) - (first ?? 0)).toBe(60_000);
    });
  });

  test('replace the earlier ones if set again', async () => {
    await withReceiver(async (receiver, project) => {
      receiver.answer(500, 500);
      receiver.answer(410);
      await importJobs(project, 'FAIL-1');
      await project.clock.advance('idle');
      expect((await project.callbacks.list())[0]?.attempts).toMatchObject([{ status: 410 }]);
    });
  });
});

test('a wait resolves when the callback arrives', async () => {
  await withReceiver(async (receiver, project) => {
    const waiting = receiver.waitFor({ count: 2 });
    await importJobs(project, 'FAIL-1');
    await project.clock.advance('idle');
    await importJobs(project, 'FAIL-2');
    await project.clock.advance('idle');
    expect((await waiting).map(({ body }) => body.data.failed[0]?.id)).toEqual(['FAIL-1', 'FAIL-2']);
  });
});

test('closing ends pending waits, and can be repeated', async () => {
  const receiver = await createCallbackReceiver();
  const failure = expect(receiver.waitFor({ timeout: '10m' })).rejects.toMatchObject({
    message: `waitFor: the receiver at ${receiver.url} was closed`,
    code: 'closed',
  });
  await Promise.all([receiver.close(), receiver.close()]);
  await failure;
  await expect(fetch(receiver.url)).rejects.toThrow();
});

test('callbacks go back to the inbox', async () => {
  await withReceiver(async (receiver, project) => {
    expect(await project.callbacks.sendTo(null)).toMatchObject({ url: null });
    await importJobs(project, 'FAIL-1');
    await project.clock.advance('idle');
    expect(await project.callbacks.list()).toMatchObject([{ state: 'inbox' }]);
    expect(receiver.received).toEqual([]);
  });
});
