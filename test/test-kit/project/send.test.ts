/** Requests of the API that a test sends itself, wherever the profile has paths and identifiers. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { useKit } from '../kit.ts';

const job = { id: 'J-1', status: 'READY', address: {} } as const;

describe('with the shipped profile', () => {
  const sandbox = useKit({ clock: 'frozen' });

  test('a request is sent for the project, and its response is read', async () => {
    const project = sandbox().project('send it');
    const { status, headers, body } = await project.send('asyncImportJobs', { jobs: [{ id: 'J-1' }] });
    expect([status, headers['content-type']]).toEqual([202, 'application/json']);
    expect(body).toMatchObject({ jobsReceived: 1 });
    await project.clock.advance('idle');
    expect(await project.jobs.get('J-1')).toMatchObject({ id: 'J-1' });
  });

  test('parameters and headers are given by name', async () => {
    const project = sandbox().project();
    await project.send('syncCreateJob', job);
    const updated = await project.send(
      'asyncUpdateJob',
      { status: 'DELIVERED' },
      {
        params: { projectId: project.id, jobId: 'J-1' },
        headers: { 'x-trace': 1 },
      },
    );
    expect(updated.status).toBeLessThan(500);
    const [request] = await project.requests.list({ operation: 'asyncUpdateJob' });
    expect(request).toMatchObject({ path: expect.stringContaining('J-1'), request: { headers: { 'x-trace': '1' } } });
  });
});

describe('with a profile that moves identifiers', () => {
  const profile = path.join(tmpdir(), `field-sandbox-send-${process.pid}.yaml`);
  writeFileSync(
    profile,
    'operations: { syncCreateJob: { path: /v2/jobs, identifiers: { projectId: "header:x-project" } } }\n',
  );
  const sandbox = useKit({ profile });

  test('they are where the profile has them', async () => {
    const project = sandbox().project();
    expect((await project.send('syncCreateJob', job)).status).toBe(201);
    expect(await project.requests.list()).toMatchObject([{ path: '/v2/jobs' }]);
    const answer = await fetch(`${project.url}/v2/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-project': project.id, ...project.headers },
      body: JSON.stringify({ ...job, id: 'J-2' }),
    });
    expect(answer.status).toBe(201);
  });
});
