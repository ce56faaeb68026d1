/** Callbacks that are read from the control API. flows/transcripts/signatures.txt has those that a receiver gets. */
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

test('signatures are valid in the inbox too', async () => {
  const project = await frozenProject(sandbox);
  await failLater(sandbox, project);
  await sandbox.advance(project);
  const { state, attempts } = await onlyCallback(sandbox, project);
  expect(state).toBe('inbox');
  expect(attempts).toHaveLength(1);
  expect(attempts[0]).not.toHaveProperty('status');
  expect(attempts[0]).not.toHaveProperty('error');
  const { sent = '', headers = {} } = attempts[0] ?? {};
  expect(new Webhook(defaultSecret).verify(sent, headers)).toEqual(JSON.parse(sent));
});

test('an attempt has the latency of the response', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  await sandbox.advance(project);
  expect((await onlyCallback(sandbox, project)).attempts[0]?.response?.durationMs).toBeGreaterThan(0);
});
