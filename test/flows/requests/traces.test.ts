/** The W3C trace context of a request: kept with it, and continued by its callbacks. */
import { describe, expect, test } from 'vitest';
import { readEvents } from '../../harness/event-reader.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf, frozenProject, onlyCallback } from '../callbacks/steps.ts';
import { useFolders } from '../data-steps.ts';
import { replayProject } from '../replay-steps.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z', apiKeys: ['sandbox-key', 'second-key'] });
const receiver = useReceiver();
const folders = useFolders();

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';

const importFailing = (project: string, headers: Record<string, string>, id = 'FAIL-1') =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] }, headers);

describe('a request with a trace context', () => {
  test('shows its trace in lists, details, rows, problems, events and archives', async () => {
    const project = await frozenProject(sandbox);
    const events = await readEvents(`${sandbox.url()}/_sandbox/events?project=${project}`);
    await importFailing(project, { traceparent });
    await importFailing(project, {});
    await sandbox.advance(project);
    const path = `/projects/${project}/requests`;
    for (const query of ['', '?view=rows', '?view=problems', `?trace=${traceId.toUpperCase()}`]) {
      const { body } = await sandbox.control('GET', path + query);
      expect(body.items[0]).toMatchObject({ traceId });
      expect(body.items[1]?.traceId).toBeUndefined();
    }
    const [first] = (await sandbox.control('GET', path)).body.items;
    expect((await sandbox.control('GET', `${path}/${first.id}`)).body).toMatchObject({ traceId });
    const all = await sandbox.control('GET', `/requests?trace=${traceId}`);
    expect(all.body.items).toMatchObject([{ id: first.id }]);
    expect((await sandbox.control('GET', `${path}?trace=${'a'.repeat(32)}`)).body.items).toEqual([]);
    const archive = await sandbox.control('GET', `${path}?format=har`);
    expect(archive.body.log.entries.map((entry: object) => Object(entry)._traceId)).toEqual([traceId, undefined]);
    const seen = await events.take(6);
    events.leave();
    const traced = seen.filter(({ data }) => data['traceId'] === traceId).map(({ kind }) => kind);
    expect(traced).toEqual(['request', 'callback', 'callback']);
  });

  test('is continued by its callbacks: the same trace, a span of their own, the same state, at each attempt', async () => {
    receiver.answer(500);
    const project = await frozenProject(sandbox, receiver.url());
    await importFailing(project, { traceparent, tracestate });
    await sandbox.advance(project);
    const { id, traceId: shown } = (await onlyCallback(sandbox, project)) as unknown as Record<string, string>;
    const headers = receiver.received.map((one) => [one.headers['traceparent'], one.headers['tracestate']]);
    expect(headers).toHaveLength(2);
    expect(headers[1]).toEqual(headers[0]);
    expect(headers[0]).toEqual([expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)), tracestate]);
    expect(headers[0]?.[0]).not.toBe(traceparent);
    expect(shown).toBe(traceId);
    const query = `/projects/${project}/callbacks?trace=${traceId}`;
    for (const view of ['rows', 'full']) {
      const { body } = await sandbox.control('GET', `${query}&view=${view}`);
      expect(body.items).toMatchObject([{ id, traceId }]);
    }
    await sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);
    expect(receiver.received[2]?.headers['traceparent']).toBe(headers[0]?.[0]);
  });

  test('has the same span in each run', async () => {
    const project = freshProject();
    const run = async () => {
      await sandbox.freeze(project);
      await importFailing(project, { traceparent });
      await sandbox.advance(project);
      const { attempts } = await onlyCallback(sandbox, project);
      await sandbox.control('POST', `/projects/${project}/reset`);
      return attempts[0]?.headers['traceparent'];
    };
    const first = await run();
    expect(first).toContain(traceId);
    expect(await run()).toBe(first);
  });

  test('stays in recordings, replays, forks and data', async () => {
    const project = await frozenProject(sandbox);
    await importFailing(project, { traceparent });
    const fork = `${project}-fork`;
    await sandbox.control('POST', `/projects/${project}/fork`, { to: fork });
    await sandbox.advance(project);
    await sandbox.advance(fork);
    expect(await onlyCallback(sandbox, fork)).toMatchObject({ traceId });
    expect(await replayProject(sandbox, project)).toEqual({ requests: 1, callbacks: 1, differences: [] });
    const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
    expect(body.changes[1].request.headers).toMatchObject({ traceparent });

    const folder = folders.fresh();
    const first = await folders.start(folder);
    await first.control('PUT', '/projects/kept/clock', { mode: 'frozen' });
    const jobs = [{ id: 'FAIL-1' }];
    await first.api('POST', '/async/projects/kept/jobs', { jobs }, { traceparent, tracestate });
    await first.close();
    const second = await folders.start(folder);
    await second.control('POST', '/projects/kept/clock/advance', { until: 'idle' });
    const kept = (await second.control('GET', '/projects/kept/callbacks')).body.items[0];
    expect(kept).toMatchObject({ traceId, attempts: [{ headers: { tracestate } }] });
    await second.close();
  });
});

describe('no trace', () => {
  test.each([
    ['none', {}],
    ['an upper-case id', { traceparent: traceparent.toUpperCase() }],
    ['zeros as trace', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
    ['zeros as span', { traceparent: `00-${traceId}-${'0'.repeat(16)}-01` }],
    ['version ff', { traceparent: traceparent.replace('00-', 'ff-') }],
    ['more than version 00 has', { traceparent: `${traceparent}-more` }],
    ['too short', { traceparent: traceparent.slice(0, -1) }],
    ['only a state', { tracestate }],
  ])('%s: nothing is kept, and nothing is sent', async (_name, headers) => {
    const project = await frozenProject(sandbox, receiver.url());
    expect((await importFailing(project, headers as Record<string, string>)).status).toBe(202);
    await sandbox.advance(project);
    const [got] = receiver.received;
    expect([got?.headers['traceparent'], got?.headers['tracestate']]).toEqual([undefined, undefined]);
    expect(JSON.stringify(await sandbox.items(project, 'requests'))).not.toContain('"traceId"');
    expect(JSON.stringify(await callbacksOf(sandbox, project))).not.toContain('"traceId"');
  });

  test('a later version counts by what version 00 has of it', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    await importFailing(project, { traceparent: `cc-${traceId}-00f067aa0ba902b7-f1-what-is-new` });
    await sandbox.advance(project);
    expect(receiver.received[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  });

  test('a state that has an API key is not passed on', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    await importFailing(project, { traceparent, tracestate: 'mine=second-key' });
    await sandbox.advance(project);
    expect(receiver.received[0]?.headers).toHaveProperty('traceparent');
    expect(receiver.received[0]?.headers).not.toHaveProperty('tracestate');
  });

  test('a trace to filter by is checked', async () => {
    const answer = await sandbox.control('GET', '/requests?trace=abc');
    expect(answer.body.errors).toEqual([
      { path: 'query:trace', message: 'expected a trace id of 32 hexadecimal digits, got "abc"' },
    ]);
  });
});
