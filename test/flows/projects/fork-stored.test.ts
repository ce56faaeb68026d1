/** Forks of a sandbox with `--data`: they are stored before the response, and outlive the server like other projects. */
import { expect, test } from 'vitest';
import { useFolders } from '../data-steps.ts';

const { fresh, start } = useFolders();
const options = { clock: '2026-03-02T09:00:00.000Z', callbackUrl: 'http://127.0.0.1:9/default' };
const jobs = (...ids: readonly string[]) => ({ jobs: ids.map((id) => ({ id })) });

test('a fork is stored with its pending work, and the endpoint of new projects', async () => {
  const folder = fresh();
  const first = await start(folder, options);
  await first.control('PUT', '/projects/p/callback-endpoint', { url: 'http://127.0.0.1:9/own' });
  await first.api('POST', '/sync/projects/p/jobs/batch', jobs(...Array.from({ length: 60 }, (_, n) => `J-${n}`)));
  await first.api('POST', '/async/projects/p/jobs', jobs('FAIL-1'));
  const { status, body } = await first.control('POST', '/projects/p/fork', { to: 'a fork/ü' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ counts: { jobs: 60, pending: 1 }, forkedFrom: { project: 'p', change: 3 } });
  expect(body.callbackEndpoint.url).toBe(options.callbackUrl);
  await first.close();

  const second = await start(folder, options);
  const path = `/projects/${encodeURIComponent('a fork/ü')}`;
  expect((await second.control('GET', '/projects')).body.items.map(({ id }: { id: string }) => id)).toEqual([
    'p',
    'a fork/ü',
  ]);
  expect((await second.control('GET', path)).body).toEqual({ ...body, usage: expect.anything() });
  await second.control('POST', `${path}/clock/advance`, { until: 'idle' });
  expect((await second.control('GET', `${path}/callbacks`)).body.items).toMatchObject([
    { state: 'failed', body: { data: { projectId: 'a fork/ü', failed: [{ id: 'FAIL-1' }] } } },
  ]);
  expect((await second.control('GET', '/projects/p')).body.counts).toMatchObject({ pending: 1, callbacks: 0 });

  const refused = await second.control('POST', '/projects/p/fork', { to: 'later', atChange: 3 });
  expect(refused).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('incomplete: the journal had already deleted some changes') },
  });
});
