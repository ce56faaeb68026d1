/** GET /recording during an advance. flows/transcripts/recordings.txt has the other moments. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, setEndpoint } from '../callbacks/steps.ts';
import { replayProject } from '../replay-steps.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const receiver = useReceiver();

test('it has all changes so far; the advance itself is added at its end', async () => {
  const record = async () => (await sandbox.control('GET', '/projects/p/recording')).body;
  const kinds = ['callback-endpoint', 'request', 'advance', 'request', 'callback'].map((kind) => ({ kind }));
  await setEndpoint(sandbox, 'p', { url: receiver.url() });
  await failLater(sandbox, 'p', '1');
  await sandbox.advance('p', '100ms');
  await failLater(sandbox, 'p', '2');
  let answer: (status: number) => void = () => undefined;
  const answered = new Promise<number>((resolve) => {
    answer = resolve;
  });
  receiver.handle(() => answered);
  const advancing = sandbox.advance('p', '1m');
  await receiver.waitFor(1);
  const middle = await record();
  expect(middle).toMatchObject({ complete: true, now: '2026-03-02T09:30:00.200Z', changes: kinds });
  expect(middle.changes[4].state).toBe('scheduled');
  expect(await replayProject(sandbox, 'p')).toEqual({ requests: 2, callbacks: 1, differences: [] });

  answer(204);
  await advancing;
  const end = await record();
  const all = [...kinds, { kind: 'callback' }, { kind: 'advance' }];
  expect(end).toMatchObject({ complete: true, now: '2026-03-02T09:31:00.100Z', changes: all });
  expect(end.changes[4].state).toBe('delivered');
  expect(await replayProject(sandbox, 'p')).toEqual({ requests: 2, callbacks: 2, differences: [] });
});
