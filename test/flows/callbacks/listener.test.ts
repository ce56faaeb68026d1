/** A listener that comes back. flows/transcripts/listener.txt, listener-lost.txt and listeners.txt have the rest. */
import { describe, expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';
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

describe('callbacks that are sent in parallel', () => {
  const parallel = withProfile({ callbacks: { concurrency: 3 } });

  test('attempts that begin together have different numbers', async () => {
    const project = await frozenProject(parallel);
    const listener = await startListening(parallel, project);
    const scenario = { name: 'copies', rules: [{ then: { callback: { copies: 2 } } }] };
    await parallel.control('PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] });
    await failLater(parallel, project);
    await parallel.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
    const attempts = [await listener.next(), await listener.next()];
    expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
    for (const attempt of attempts) await listener.answer(attempt, 200);
  });
});
