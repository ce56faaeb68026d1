/** One callback explains its outcome, each attempt, what a scenario changed, and what is still to come. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

async function explanationOf(project: string) {
  const { id } = await onlyCallback(sandbox, project);
  return (await sandbox.control('GET', `/projects/${project}/callbacks/${id}`)).body.explanation;
}

test('while a retry is due, and after it was delivered and redelivered', async () => {
  receiver.answer(500, 204, 418);
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  await sandbox.advance(project, '1s');
  const { id, body, dueAt } = await onlyCallback(sandbox, project);
  expect(await explanationOf(project)).toMatchObject({
    summary: 'Not delivered after 1 attempt. A retry is scheduled.',
    endpoint: { url: receiver.url(), disabled: false },
    clock: { mode: 'frozen', pending: 1 },
    nextAttemptAt: dueAt,
    raisedAt: body.timestamp,
    failed: body.data.failed,
    copiesLeft: 0,
  });
  await sandbox.advance(project);
  await sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);
  const delivered = await explanationOf(project);
  expect(delivered.summary).toBe(
    'Delivered on attempt 2; redelivered manually, rejected with 418. Sent 3 times: the receiver responded with 500; 1 manual redelivery.',
  );
  expect(delivered.nextAttemptAt).toBeUndefined();
  expect(delivered.attempts).toEqual([
    { reason: 'First attempt' },
    { reason: 'Retry, 5 s after the previous attempt' },
    { reason: expect.stringMatching(/^Manual redelivery, .* the previous attempt$/) },
  ]);
});

test('what a scenario changed, with the rule that did', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  const rules = [{ name: 'torn', then: { callback: { body: 'malformed', copies: 3, delay: '1m' } } }];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'line', rules }] });
  await failLater(sandbox, project);
  await sandbox.advance(project, '1s');
  expect(await explanationOf(project)).toMatchObject({ summary: 'No attempts yet.', copiesLeft: 2 });
  await sandbox.advance(project);
  const { rules: fired, attempts } = await explanationOf(project);
  expect(fired.map(({ scenario, rule }: Record<string, string>) => `${scenario}/${rule}`)).toContain('line/torn');
  const callback = await onlyCallback(sandbox, project);
  const [payload, sent = ''] = [JSON.stringify(callback.body), callback.attempts[0]?.sent];
  const [{ change }] = attempts;
  expect(sent.slice(0, change.at)).toBe(payload.slice(0, change.at));
  expect(change.text).toBe(`Truncated by a scenario after ${change.at} of ${payload.length} characters`);
});

test('without a receiver, because it has gone', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  receiver.handle(() => 410);
  await failLater(sandbox, project);
  await sandbox.advance(project);
  expect(await explanationOf(project)).toMatchObject({
    summary:
      'Failed after 1 attempt. The endpoint is disabled: the receiver responded with 410, or sending was disabled.',
    endpoint: { disabled: true },
  });
});
