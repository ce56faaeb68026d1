/** Waiting for requests and callbacks, and the message after a timeout. */
import { describe, expect, test } from 'vitest';
import type { ControlClient } from '../../../src/test-kit/control-client.ts';
import { createRequestList } from '../../../src/test-kit/project/lists.ts';
import { createTestWall } from '../../harness/wall.ts';
import { importJobs, post, useKit } from '../kit.ts';

const sandbox = useKit();

describe('a wait succeeds', () => {
  test('at once with existing items', async () => {
    const project = sandbox().project();
    await importJobs(project, 'J-1');
    const found = await project.requests.waitFor({ operation: 'asyncImportJobs', status: 202, record: 'jobs/J-1' });
    expect(found).toMatchObject([{ operation: 'asyncImportJobs', status: 202 }]);
  });

  test('with new items', async () => {
    const project = sandbox().project();
    await project.clock.freeze();
    const requests = project.requests.waitFor({ count: 2 });
    const callbacks = project.callbacks.waitFor({ type: 'jobs.import.failed', state: 'inbox' });
    await importJobs(project, 'FAIL-1');
    await importJobs(project, 'J-2');
    expect(await requests).toHaveLength(2);
    await project.clock.advance('idle');
    expect(await callbacks).toMatchObject([{ state: 'inbox', body: { data: { failed: [{ id: 'FAIL-1' }] } } }]);
  });

  test('with items of a status, of a class of statuses, or of a list', async () => {
    const project = sandbox().project();
    const { requests } = project;
    await importJobs(project, 'J-1');
    await post(project.url, `/async/projects/${project.id}/jobs`, { jobs: 'none' });
    expect(await requests.waitFor({ status: '2xx' })).toMatchObject([{ status: 202 }]);
    expect(await requests.waitFor({ status: [202, '4xx'], count: 2 })).toHaveLength(2);
    expect(await requests.list({ status: ['3xx', 404] })).toEqual([]);
    await expect(requests.waitFor({ status: ['5xx', 404], timeout: '1ms' })).rejects.toThrow('with status 5xx,404');
    // @ts-expect-error: there is no such class
    await expect(requests.list({ status: '6xx' })).rejects.toMatchObject({ status: 400 });
  });

  test('with items after a request', async () => {
    const project = sandbox().project();
    await Promise.all(Array.from({ length: 20 }, () => importJobs(project, 'J-1')));
    const [first] = await project.requests.waitFor({ count: 20 });
    expect(await project.requests.waitFor({ since: first?.id ?? '', count: 19 })).toHaveLength(19);
  });

  test('with items after a reset', async () => {
    const project = sandbox().project();
    await importJobs(project, 'J-1');
    const waiting = project.requests.waitFor({ count: 2 });
    await project.reset();
    await Promise.all([importJobs(project, 'J-2'), importJobs(project, 'J-3')]);
    expect(await waiting).toHaveLength(2);
  });
});

test('a wait for an unknown operation fails at once, with a suggestion', async () => {
  // @ts-expect-error: there is no such operation
  const waiting = sandbox().project().requests.waitFor({ operation: 'asyncImportJob', timeout: '1m' });
  const message = 'expected an operationId, got "asyncImportJob", did you mean asyncImportJobs?';
  await expect(waiting).rejects.toMatchObject({ status: 400, violations: [{ path: 'operation', message }] });
});

describe('the message of a failed wait', () => {
  test('lists the callbacks and requests received instead', async () => {
    const project = sandbox().project();
    await project.clock.freeze();
    await importJobs(project, 'FAIL-1');
    await importJobs(project, 'J-1');
    await project.clock.advance('idle');
    await post(project.url, `/async/projects/${project.id}/jobs`, { jobs: 'none' });
    await expect(
      project.callbacks.waitFor({ type: 'jobs.import.failed', state: 'delivered', count: 2, timeout: 20 }),
    ).rejects.toThrow(
      'waited 20 ms for 2 callbacks with type jobs.import.failed, state delivered; received: 1 of type jobs.import.failed, inbox; ' +
        '3 requests: asyncImportJobs 202 × 2, asyncImportJobs 400 "/jobs: expected an array',
    );
  });

  test('mentions a frozen clock', async () => {
    const project = sandbox().project();
    await project.clock.freeze();
    await importJobs(project, 'FAIL-1');
    await expect(project.callbacks.waitFor({ entry: 'FAIL-1', timeout: '0s' })).rejects.toThrow(
      "callbacks.waitFor: waited 0 ms for 1 callback with entry FAIL-1; received: no callback; 1 request: asyncImportJobs 202; the clock is frozen with 1 pending: call clock.advance('idle')",
    );
  });

  test('lists requests without a project', async () => {
    const project = sandbox().project();
    await post(project.url, '/asinc/jobs', {});
    await expect(
      project.requests.waitFor({ operation: 'asyncImportJobs', status: 202, record: 'jobs/J-1', timeout: '1ms' }),
    ).rejects.toThrow(
      /^requests\.waitFor: waited 1 ms for 1 request with operation asyncImportJobs, status 202, record jobs\/J-1; received: no request; without a project 1 request: POST \/asinc\/jobs 404 "/,
    );
  });

  test('lists at most eight kinds', async () => {
    const project = sandbox().project();
    for (const status of [500, 501, 502, 503, 504, 505, 506, 507, 508, 509]) {
      await project.use({ name: 'failing', rules: [{ then: { respond: { status, body: {} } } }] });
      await importJobs(project, 'J-1');
    }
    await expect(project.requests.waitFor({ count: 11, timeout: '1ms' })).rejects.toThrow(/507, others × 2$/);
  });
});

test('waits at most 30 s for a single response, and in total until the timeout', async () => {
  const wall = createTestWall();
  const asked: string[] = [];
  const ask = async (_method: string, path: string) => {
    if (path.endsWith('/clock')) return { mode: 'real', pending: 0 };
    const span = new URL(path, 'http://x').searchParams.get('await') ?? '';
    asked.push(span);
    wall.pass(Number.parseInt(span, 10));
    return { items: [], satisfied: false };
  };
  const client = { ask, list: async () => [] } as unknown as ControlClient;
  const requests = createRequestList({ client, wall, path: '/projects/p' });
  await expect(requests.waitFor({ timeout: '70s', count: 3 })).rejects.toThrow('waited 70 s for 3 requests');
  expect(asked).toEqual(['30000ms', '30000ms', '10000ms']);
});
