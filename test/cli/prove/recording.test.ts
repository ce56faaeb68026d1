/** `prove` names the recording that shows the failure, whatever the names of the projects. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeRecording } from '../../../src/cli/prove/prove.ts';
import { createFolder } from '../../harness/folder.ts';

type Args = Parameters<typeof writeRecording>;

test('the recording of the life in which the failure was met; those of an earlier proof go', async () => {
  const life = (project: string, number: number, id: string) => {
    return {
      project,
      life: number,
      recording: { recording: 1, project, changes: [{ kind: 'request', request: {}, id }] },
    };
  };
  const recordings = [life('A', 1, 'req_1'), life('Big', 1, 'req_2'), life('Big', 2, 'req_3')];
  const requests = recordings.map(({ project, recording: { changes } }) => {
    const id = changes[0]?.id;
    return { id, project, fired: id === 'req_3' ? [{ scenario: 'down' }] : [] };
  });
  const folder = createFolder();
  const result = { recordings, requests } as unknown as Args[2];
  const written = await writeRecording(folder, { scenarios: [{ name: 'down' }] } as unknown as Args[1], result);
  expect(written?.path).toBe(path.join(folder, '%42ig.2.json'));
  await writeRecording(folder, { scenarios: [] }, { ...result, recordings: result.recordings.slice(0, 1) });
  expect(readdirSync(folder)).toEqual(['%41.json']);
});
