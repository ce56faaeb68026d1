/** A test makes a callback without a request. */
import { expect, test } from 'vitest';
import { createCallbackReceiver } from '../../../src/index.ts';
import { useKit } from '../kit.ts';

const sandbox = useKit({ clock: 'frozen' });

test('a receiver gets what was asked for, and refuses what is forged', async () => {
  await using receiver = await createCallbackReceiver();
  const project = sandbox().project();
  await project.callbacks.sendTo(new URL(receiver.url));
  const options = { ids: ['ORD-1', 'ORD-2'], reason: 'No such street', operation: 'asyncUpdateJobs' } as const;
  const { id, triggered } = await project.trigger('jobs.update.failed', { ...options, data: { more: 1 }, copies: 2 });
  await project.trigger('orders.import.failed', { ids: 'ORD-9', forge: 'invalid' });
  await project.clock.advance('idle');
  const [first, second] = await receiver.waitFor({ count: 2 });
  expect([first?.id, second?.id, triggered]).toEqual([id, id, true]);
  expect(first?.body.data).toMatchObject({
    operation: 'asyncUpdateJobs',
    more: 1,
    failed: [
      { id: 'ORD-1', reason: 'No such street' },
      { id: 'ORD-2', reason: 'No such street' },
    ],
  });
  expect(await project.callbacks.list({ state: 'failed' })).toMatchObject([
    { type: 'orders.import.failed', body: { data: { failed: [{ id: 'ORD-9' }] } } },
  ]);
  expect(await project.requests.list()).toEqual([]);
});
