/** The figures say what has happened. prom-client writes them. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const guarded = useSandbox({ adminToken: 'letmein' });
const receiver = useReceiver();

async function scrape(): Promise<Map<string, number>> {
  const answer = await fetch(`${sandbox.url()}/_sandbox/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const series = [...(await answer.text()).matchAll(/^(\w+(?:\{.*\})?) (.+)$/gm)];
  return new Map(series.map(([, name = '', value]) => [name, Number(value)]));
}

const post = (project: string, jobs: readonly object[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

test('counts requests by operation and status across resets, with a consistent histogram', async () => {
  const before = await scrape();
  const [one, two] = [freshProject(), freshProject()];
  for (let n = 0; n < 5; n += 1) await post(n % 2 === 0 ? one : two, [{ id: `J-${n}` }]);
  await sandbox.api('POST', `/async/projects/${one}/jobs`, { jobs: 7 });
  await sandbox.api('POST', `/async/projects/${one}/jobs`, { jobs: [] }, { apikey: 'wrong' });
  await sandbox.api('GET', '/nowhere');
  await sandbox.control('POST', `/projects/${one}/reset`);
  const after = await scrape();
  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  const requests = (operation: string, status: number) =>
    grown(`sandbox_requests_total{operation="${operation}",status="${status}"}`);
  expect(requests('asyncImportJobs', 202)).toBe(5);
  expect(requests('asyncImportJobs', 400)).toBe(1);
  expect(requests('asyncImportJobs', 401)).toBe(1);
  expect(requests('none', 404)).toBe(1);
  expect(grown('sandbox_request_duration_seconds_count{operation="asyncImportJobs"}')).toBe(7);
  expect(grown('sandbox_request_duration_seconds_bucket{le="+Inf",operation="asyncImportJobs"}')).toBe(7);
  const buckets = [...after]
    .filter(
      ([name]) => name.startsWith('sandbox_request_duration_seconds_bucket') && name.includes('"asyncImportJobs"'),
    )
    .map(([, value]) => value);
  expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
  expect(buckets).toHaveLength(15);
  expect(after.get('sandbox_request_duration_seconds_sum{operation="asyncImportJobs"}')).toBeGreaterThan(0);
});

test('counts callbacks by state, attempts by outcome, pending work and memory', async () => {
  await sandbox.control('POST', '/reset');
  const before = await scrape();
  const attempts = (all: Map<string, number>, outcome: string) =>
    (all.get(`sandbox_callback_attempts_total{outcome="${outcome}"}`) ?? 0) -
    (before.get(`sandbox_callback_attempts_total{outcome="${outcome}"}`) ?? 0);
  for (const state of ['scheduled', 'delivered', 'failed', 'inbox', 'dropped']) {
    expect(before.get(`sandbox_callbacks{state="${state}"}`), state).toBe(0);
  }
  const [boxed, sent] = [freshProject(), freshProject()];
  await sandbox.freeze(boxed);
  await sandbox.freeze(sent);
  await sandbox.control('PUT', `/projects/${sent}/callback-endpoint`, { url: receiver.url() });
  // The statuses beside those of a delivery, and its last one.
  receiver.answer(500, 300, 299);
  await post(boxed, [{ id: 'FAIL-1' }, { id: 'OK-1' }]);
  await post(sent, [{ id: 'FAIL-2' }]);
  const waiting = await scrape();
  expect(waiting.get('sandbox_queue_depth{kind="instruction"}')).toBe(2);
  expect(waiting.get('sandbox_worlds')).toBe(2);
  // Those of no project stay at a reset.
  expect(waiting.get('sandbox_journal_requests')).toBe((before.get('sandbox_journal_requests') ?? 0) + 2);
  await sandbox.advance(boxed);
  await sandbox.advance(sent, '1s');
  const retrying = await scrape();
  expect(retrying.get('sandbox_queue_depth{kind="instruction"}')).toBe(0);
  expect(retrying.get('sandbox_queue_depth{kind="callback"}')).toBe(1);
  expect(retrying.get('sandbox_callbacks{state="inbox"}')).toBe(1);
  expect(retrying.get('sandbox_callbacks{state="scheduled"}')).toBe(1);
  await sandbox.advance(sent);
  const done = await scrape();
  expect(done.get('sandbox_callbacks{state="delivered"}')).toBe(1);
  expect(['inbox', 'refused', 'delivered', 'error'].map((outcome) => attempts(done, outcome))).toEqual([1, 2, 1, 0]);
  await sandbox.control('PUT', `/projects/${sent}/callback-endpoint`, { url: 'http://127.0.0.1:9/' });
  await post(sent, [{ id: 'FAIL-3' }]);
  await sandbox.advance(sent, '1s');
  expect(attempts(await scrape(), 'error')).toBe(1);
  expect(done.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
});

test('the start time is the same at each scrape', async () => {
  const began = (await scrape()).get('process_start_time_seconds') ?? expect.fail('it is not told');
  expect(began).toBeGreaterThan(1_600_000_000);
  expect((await scrape()).get('process_start_time_seconds')).toBe(began);
});

test('before the first request there is no series of requests', async () => {
  const answer = await fetch(`${guarded.url()}/_sandbox/metrics`, { headers: { authorization: 'Bearer letmein' } });
  const text = await answer.text();
  expect(text).toMatch(/^# TYPE sandbox_requests_total counter$/m);
  expect(text).not.toMatch(/^sandbox_request/m);
});
