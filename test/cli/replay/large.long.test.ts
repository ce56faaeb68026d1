/** A large recording replays identically: twenty imports of 1,000 jobs, one seventh of which fails. */
import { expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { replayRecording } from '../../../src/cli/replay/replay.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { type Tampered, tamper } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const { read } = createRecordingReader();
const batches = 20;

const address = {
  street: '1 Übermäßig Lange Straße',
  city: 'Köln',
  geoJson: { type: 'Point', coordinates: [153, -27] },
};

/** Creates jobs of realistic size, of which some fail downstream and some are rejected. */
function toJobs(batch: number): readonly object[] {
  return Array.from({ length: 1000 }, (_, n) => {
    const kind = n % 7 === 0 ? 'FAIL' : n % 11 === 0 ? 'REFUSE' : 'J';
    return { id: `${kind}-${batch}-${n}`, status: 'PENDING', address, notes: 'x'.repeat(600) };
  });
}

async function replay(recording: unknown) {
  const readable = await read(recording, 'r.json');
  if ('mistakes' in readable) throw new Error(readable.mistakes.join('\n'));
  const progress: number[] = [];
  const result = await replayRecording(readable, (count) => progress.push(count));
  return { ...result, progress };
}

test(`replays ${batches} batches of 1,000 jobs`, { timeout: 60_000 }, async () => {
  const project = freshProject();
  for (let batch = 1; batch <= batches; batch += 1) {
    const answer = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: toJobs(batch) });
    expect(answer.status).toBe(202);
    await sandbox.advance(project, '1s');
  }
  const { body, text } = await sandbox.control('GET', `/projects/${project}/recording`);
  expect(text.length).toBeGreaterThan(15_000_000);
  expect(body.changes.filter(({ kind }: { kind: string }) => kind === 'callback')).toHaveLength(batches);
  const { progress, ...result } = await replay(body);
  expect(result).toEqual({ requests: batches, callbacks: batches, differences: [] });
  expect(progress.at(-1)).toBe(body.changes.length);

  // Finds one changed character in the last callback.
  const last = ({ changes }: Tampered) => changes.findLast(({ kind }: Tampered) => kind === 'callback');
  const other = tamper(text, (recording) => {
    last(recording).body.data.failed[140].id += 'x';
  });
  expect((await replay(other)).differences).toMatchObject([
    {
      part: 'callback body',
      request: { id: last(body).requestId },
    },
  ]);
});
