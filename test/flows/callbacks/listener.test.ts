/** A listener that comes back. flows/transcripts/listener.txt, listener-lost.txt and listeners.txt have the rest. */
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { startListening } from './listener-steps.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox();

test('a client that names its last connection replaces it, and its attempt under way fails', async () => {
  const project = await frozenProject(sandbox);
  const first = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  const attempt = await first.next();
  const second = await startListening(sandbox, project, { lastId: first.lastId(), query: '?since=first' });
  expect(await first.gone()).toBeUndefined();
  expect(await second.answer(attempt, 200)).toEqual([404, expect.stringContaining(`no attempt ${attempt.id} waits`)]);
  // The retry, and nothing that was sent again.
  expect(await second.answerNext(200)).toMatchObject([{ number: 2 }]);
  expect(await advanced).toMatchObject({ delivered: 1, pending: 0 });
  expect((await onlyCallback(sandbox, project)).attempts).toMatchObject([
    { cause: 'schedule', error: 'listener disconnected' },
    { cause: 'schedule', status: 200 },
  ]);
});
