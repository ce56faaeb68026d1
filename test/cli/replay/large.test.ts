/** A large recording: twenty imports of 1,000 jobs each, a seventh of which fails, play to the same bytes. */
import { expect, test } from 'vitest';
import { play } from '../../../src/cli/replay/play.ts';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
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

/** Some jobs fail downstream, some are refused at once; all are as long as real ones. */
function toJobs(batch: number): readonly object[] {
  return Array.from({ length: 1000 }, (_, n) => {
    const kind = n % 7 === 0 ? 'FAIL' : n % 11 === 0 ? 'REFUSE' : 'J';
    return { id: `${kind}-${batch}-${n}`, status: 'PENDING', address, notes: 'x'.repeat(600) };
  });
}

async function playTo(recording: unknown) {
  const readable = await read(recording, 'r.json');
  if ('mistakes' in readable) throw new Error(readable.mistakes.join('\n'));
  const told: number[] = [];
  const played = await play(readable, (count) => told.push(count));
  return { ...played, told };
}

test(`${batches} batches of 1,000 jobs`, { timeout: 60_000 }, async () => {
  const project = freshProject();
  for (let batch = 1; batch <= batches; batch += 1) {
    const answer = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: toJobs(batch) });
    expect(answer.status).toBe(202);
    await sandbox.advance(project, '1s');
  }
  const { body, text } = await sandbox.control('GET', `/projects/${project}/recording`);
  expect(text.length).toBeGreaterThan(15_000_000);
  expect(body.changes.filter(({ kind }: { kind: string }) => kind === 'callback')).toHaveLength(batches);
  const { told, ...played } = await playTo(body);
  expect(played).toEqual({ requests: batches, callbacks: batches, difference: undefined });
  expect(told.at(-1)).toBe(body.changes.length);

  // One letter of the last callback is found.
  const last = ({ changes }: Tampered) => changes.findLast(({ kind }: Tampered) => kind === 'callback');
  const other = tamper(text, (recording) => {
    last(recording).body.data.failed[140].id += 'x';
  });
  expect((await playTo(other)).difference).toMatchObject({
    what: 'callback body',
    request: { id: last(body).requestId },
  });
});
