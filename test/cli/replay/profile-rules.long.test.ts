/** A recording holds the profile: it replays identically under every key about entries, nulls and rates. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { replayRecording } from '../../../src/cli/replay/replay.ts';
import { operationFacts } from '../../../src/config/config-files.ts';
import { parseProfile } from '../../../src/openapi/profile/profile-file.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const text = `
required: { jobs: { update: [id, sequence] } }
duplicates: { jobs: replace, routes: replace }
users: { withoutType: driver }
nulls: ignore
transitions: { jobs: { DELIVERED: [] } }
otherSubproject: reject
rate: { requests: 9, per: 10m }
`;
const folder = mkdtempSync(path.join(tmpdir(), 'profile-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'profile.yaml');
writeFileSync(file, text);
const parsed = parseProfile(text, file, operationFacts());
const sandbox = useSandbox({ profile: file, clock: '2026-03-02T09:30:00Z' }, parsed.ok ? parsed.profile : undefined);

test('a recorded project replays identically', async () => {
  const project = freshProject();
  const jobs = [
    { id: 'J-1', status: 'DELIVERED', customer: { phone: null } },
    { id: 'J-2', subProjectId: 'home' },
  ];
  const bodies: readonly (readonly [method: string, path: string, body: object])[] = [
    ['POST', `/sync/projects/${project}/jobs/batch`, { jobs }],
    ['POST', `/async/projects/${project}/jobs`, { jobs }],
    [
      'PATCH',
      `/async/projects/${project}/jobs`,
      { jobs: [{ id: 'J-1', status: 'PENDING', sequence: 1 }, { id: 'J-2' }] },
    ],
    ['PATCH', `/sync/projects/${project}/subprojects/other/jobs`, { id: 'J-2', status: 'PENDING' }],
    [
      'POST',
      `/projects/${project}/users`,
      { username: 'ana', password: 'A!', visibleBy: 'S', access: 'DRIVER', desc: null },
    ],
    ['POST', `/async/projects/${project}/routes`, { routes: [{ id: 'R-1', jobs: [{ id: 'J-1' }, { id: 'J-3' }] }] }],
    ['POST', `/async/projects/${project}/routes`, { routes: [{ id: 'R-1', jobs: [{ id: 'J-4' }] }] }],
  ];
  const statuses: number[] = [];
  for (const round of [1, 2]) {
    for (const [method, url, body] of bodies) {
      statuses.push((await sandbox.api(method, url, body)).status);
      await sandbox.advance(project, '1s');
    }
    if (round === 1) await sandbox.advance(project, '5m');
  }
  expect(statuses).toEqual([200, 202, 202, 422, 201, 202, 202, 200, 202, 429, 429, 429, 429, 429]);
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  const loaded = await createRecordingReader().read(body, 'recording');
  if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
  expect(await replayRecording(loaded)).toMatchObject({ requests: 14, differences: [] });
});
