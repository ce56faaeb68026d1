/** The order of callbacks. flows/transcripts/under-way.txt has what happens while one is being sent. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

test.each(['frozen', 'real'])('callbacks are sent one at a time and in order: on a %s clock', async (mode) => {
  let underway = 0;
  receiver.handle(async () => {
    underway += 1;
    expect(underway).toBe(1);
    await new Promise<void>((turn) => setImmediate(turn));
    underway -= 1;
    return 204;
  });
  const project = await frozenProject(sandbox, receiver.url());
  const names = [...'ABCDEFGHIJKLMNOPQRST'];
  for (const name of names) await failLater(sandbox, project, name);
  if (mode === 'real') await sandbox.control('PUT', `/projects/${project}/clock`, { mode });
  else await sandbox.advance(project);
  await receiver.waitFor(20);
  const received = receiver.received.map(({ body }) => JSON.parse(body).data.failed[0].id);
  expect(received).toEqual(names.map((name) => `FAIL-${name}`));
});
