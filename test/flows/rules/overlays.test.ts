/** Overlays of a profile: the time of patterns, and recordings. flows/transcripts/overlays.txt has what they change. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import type { Recording } from '../../../src/journal/recording.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { replay } from '../replay-steps.ts';

const overlay = `
overlay: 1.0.0
info: { title: What the real API accepts, version: "1" }
actions:
  - target: $.components.schemas.JobCreate.properties
    update: { floor: { type: integer }, slow: { type: string, pattern: "^(a+)+$" } }
`;
const folder = mkdtempSync(join(tmpdir(), 'overlays-'));
writeFileSync(join(folder, 'changes.overlay.yaml'), overlay);
writeFileSync(join(folder, 'profile.yaml'), 'overlays: [changes.overlay.yaml]\n');

const sandbox = useSandbox({ profile: join(folder, 'profile.yaml') });
const importJob = (project: string, job: object) =>
  sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'J-1', ...job }] });

test('a pattern takes linear time', async () => {
  const answer = await importJob(freshProject(), { slow: `${'a'.repeat(100_000)}!` });
  expect(answer.body.failed[0].reason).toContain('slow: expected a string that matches ^(a+)+$, got "aaa');
});

test('a recording holds the overlays', async () => {
  const project = freshProject();
  await importJob(project, { floor: 4 });
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  const recording = body as Recording;
  expect(recording.overlays).toEqual([{ name: 'changes.overlay.yaml', text: overlay }]);
  expect(await replay(JSON.parse(JSON.stringify(recording)))).toMatchObject({ requests: 1, differences: [] });
  const { overlays: _, ...without } = recording;
  const unread = await createRecordingReader().read(without, 'elsewhere.json');
  expect('mistakes' in unread ? unread.mistakes[0] : '').toContain('overlay "changes.overlay.yaml": missing');
});
