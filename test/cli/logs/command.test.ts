/** `logs`: what golden/logs.txt leaves open, among it requests and attempts as they happen. */
import { afterEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/cli/frame/run-cli.ts';
import { LogReader } from '../../../src/cli/logs/log-reader.ts';
import { ControlClient } from '../../../src/client/client.ts';
import { startListening } from '../../flows/callbacks/listener-steps.ts';
import { sendPipelined } from '../../flows/pipeline.ts';
import { createIo, runCommand } from '../../harness/cli.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { useTcpProxy } from '../../harness/tcp-proxy.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const receiver = useReceiver();
const proxy = useTcpProxy(sandbox.url);

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const logs = (...args: string[]) => runCommand(['logs', ...args], { SANDBOX_URL: sandbox.url() });

const importJobs = (project: string, ids: readonly string[], headers: Record<string, string> = {}) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) }, headers);
const sendNowhere = (length: number) =>
  sendPipelined(
    sandbox.url(),
    Array.from({ length }, () => ({ method: 'GET', path: '/nowhere' })),
  );
const sendTo = (project: string, url: string) =>
  sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url });

/** Replaces what differs: the project, and ids that are generated. */
const masked = (text: string, project: string): readonly string[] =>
  text
    .replaceAll(project, 'demo')
    .replace(/(req|msg)_[0-9a-f]{16}/g, '$1_ID')
    .split('\n');

/** A project with a job that fails later, one that fails at once, and a request that is rejected. */
async function busyProject(): Promise<string> {
  const project = freshProject();
  receiver.answer(500);
  await sendTo(project, receiver.url());
  await importJobs(project, ['ORD-1', 'FAIL-GEOCODE-1'], { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  await sandbox.advance(project);
  await sandbox.api('POST', `/sync/projects/${project}/jobs`, { id: 'J-1', status: 'READY', address: {} });
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { job: [] });
  return project;
}

const first = [
  '09:30:00.000 demo  asyncImportJobs   202  2 entries, 1 failed later        req_ID',
  '09:30:00.200 demo    jobs.import.failed  attempt 1  receiver 500, retry in 5s  msg_ID',
  '09:30:05.200 demo    jobs.import.failed  attempt 2  receiver 204',
];

describe('requests', () => {
  test('are found by their own id, and by that of a callback; later ones by the id before', async () => {
    const project = await busyProject();
    const [request] = await sandbox.items(project, 'requests');
    const [callback] = await sandbox.items(project, 'callbacks');
    for (const one of [request, callback]) {
      const { out } = await logs('--project', project, '--id', String(one?.['id']));
      expect(masked(out, project)).toEqual([...first, '']);
    }
    const later = await logs('--project', project, '--since', String(request?.['id']));
    expect(later.out.match(/req_/g)).toHaveLength(2);
  });

  test('of all projects are in the order of time, and only the last 50 by default', async () => {
    await sandbox.control('POST', '/reset');
    const [one, other] = [freshProject(), freshProject()];
    for (let n = 0; n < 30; n += 1) for (const project of [one, other]) await importJobs(project, [`J-${n}`]);
    const { out } = await logs();
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(50);
    expect(lines.at(-1)).toContain(` ${other}  asyncImportJobs`);
    expect(lines.at(-2)).toContain(` ${one}  asyncImportJobs`);
    expect((await logs('--project', one, '--since', '1h')).out.match(/req_/g)).toHaveLength(30);
  });

  test('that are none: triggered callbacks of any project', async () => {
    for (let n = 0; n < 60; n += 1) await importJobs(freshProject(), ['J-1']);
    const last = freshProject();
    await sandbox.control('POST', `/projects/${last}/callbacks`, { type: 'jobs.import.failed' });
    expect((await logs()).out).toContain(` ${last}    jobs.import.failed`);
    expect((await logs('--project', last, '--operation', 'none')).out).toBe('');
  });

  test('attempts at the listener of a project name it', async () => {
    const project = freshProject();
    const listener = await startListening(sandbox, project);
    await importJobs(project, ['ORD-1', 'FAIL-GEOCODE-1']);
    const advanced = sandbox.advance(project);
    await listener.answerNext(500, { error: 'connection refused' });
    await listener.next();
    listener.leave();
    await advanced;
    expect(masked((await logs('--project', project)).out, project).slice(0, 4)).toEqual([
      first[0],
      '09:30:00.200 demo    jobs.import.failed  attempt 1  listener 500, retry in 5s  msg_ID',
      '09:30:05.200 demo    jobs.import.failed  attempt 2  listener: connection refused, retry in 30s',
      '09:30:35.200 demo    jobs.import.failed  attempt 3  listener: disconnected, retry in 2m',
    ]);
  });
});

describe('--follow', () => {
  const ending = new Set<() => Promise<number | undefined>>();
  afterEach(async () => {
    for (const end of ending) await end();
    ending.clear();
  });

  /** Starts to follow. Returns the output so far, and what ends it. */
  function follow(url: string, ...args: string[]) {
    const io = createIo();
    const stopping = new AbortController();
    const running = runCli(['logs', '--follow', '--url', url, ...args], { ...io, signal: stopping.signal });
    const end = (): Promise<number | undefined> => {
      stopping.abort();
      return running;
    };
    ending.add(end);
    return { written: io.written, end };
  }

  test.each([['1ms'], ['the last request']])('--since %s prints nothing older later either', async (since) => {
    const project = await busyProject();
    const last = (await sandbox.control('GET', `/projects/${project}/requests?limit=1&order=newest`)).body.items[0].id;
    await sandbox.advance(project, '1s');
    const { written } = follow(sandbox.url(), '--project', project, '--since', since === '1ms' ? since : last);
    await importJobs(project, ['ORD-2']);
    await expect.poll(() => written.out).toContain('req_');
    expect(written.out.match(/req_/g)).toHaveLength(1);
  });

  test.each([
    ['--id', 'J-9', { failed: [{ id: 'J-9', reason: 'x' }] }],
    ['--operation', 'asyncImportJobsInSubproject', { operation: 'asyncImportJobsInSubproject' }],
  ])('%s %s leaves out other triggered callbacks', async (option, value, body) => {
    const project = freshProject();
    const { written } = follow(proxy().url, '--project', project);
    const filtered = follow(proxy().url, '--project', project, option, value);
    await importJobs(project, ['ORD-1']);
    await expect.poll(() => written.out).toContain('req_');
    const trigger = async (more: object) =>
      (await sandbox.control('POST', `/projects/${project}/callbacks`, { type: 'jobs.import.failed', ...more })).body
        .id;
    const ids = [await trigger({}), await trigger(body)];
    await expect.poll(() => written.out.match(/msg_\w+/g)).toEqual(ids);
    await expect.poll(() => filtered.written.out.match(/msg_\w+/g)).toEqual(ids.slice(1));
  });

  test('continues after a lost connection with what it missed', async () => {
    const project = freshProject();
    const { written, end } = follow(proxy().url, '--project', project);
    await importJobs(project, ['ORD-1']);
    await expect.poll(() => written.out).toContain('req_');
    await proxy().cut();
    await expect.poll(() => written.err).toContain('the sandbox is not available');
    await importJobs(project, ['ORD-2']);
    await proxy().restore();
    await expect.poll(() => written.out.match(/req_/g)).toHaveLength(2);
    expect(await end()).toBe(0);
  });

  test.each([[[]], [['--outcome', 'accepted,pending']]])(
    'prints every request of a burst after a reset %j',
    async (args) => {
      const project = freshProject();
      const { written } = follow(proxy().url, '--project', project, ...args);
      await importJobs(project, ['ORD-1']);
      await expect.poll(() => written.out).toContain('req_');
      await proxy().cut();
      await sandbox.control('POST', `/projects/${project}/reset`);
      await Promise.all(Array.from({ length: 120 }, (_, n) => importJobs(project, [`J-${n}`])));
      await proxy().restore();
      await expect.poll(() => written.out.match(/req_/g)).toHaveLength(121);
    },
  );

  test('prints a request after a reset that takes exactly as long as one before, on a frozen clock', async () => {
    const project = freshProject();
    const client = new ControlClient({ url: sandbox.url(), adminToken: undefined });
    const all = client.all.bind(client);
    client.all = async <Item>(...query: Parameters<typeof client.all>) => {
      const answer = await all<Item>(...query);
      return answer.ok ? { ...answer, body: answer.body.map((one) => ({ ...one, durationMs: 1 })) } : answer;
    };
    let out = '';
    const print = (text: string) => {
      out += text;
    };
    const filter = { project, id: undefined, query: {} };
    const reader = new LogReader(client, filter, { explains: false, isJson: true, print });
    await importJobs(project, ['ORD-1']);
    await reader.follow([]);
    await sandbox.control('POST', `/projects/${project}/reset`);
    await importJobs(project, ['ORD-2']);
    const reset = { kind: 'change', text: JSON.stringify({ project, what: 'reset' }) };
    await reader.follow([reset, { kind: 'request', text: '{}' }]);
    expect(out).toContain('ORD-2');
  });

  test.each([
    [[], 1],
    [['--since', '1ms'], 1],
    [['--since', '1ms', '--outcome', 'accepted,pending'], 1],
    [['--since', '1ms', '--operation', 'asyncImportJobs'], 1001],
  ])('prints nothing older after another project was reset %j', async (args, others) => {
    const [other, project] = [freshProject(), freshProject()];
    for (let n = 0; n < 40; n += 1) await importJobs(other, [`J-${n}`]);
    for (let n = 0; n < 40; n += 1) await importJobs(project, [`J-${n}`]);
    await sendNowhere(others);
    for (const id of [other, project]) await sandbox.advance(id, '1s');
    const { written } = follow(sandbox.url(), ...args);
    const countOthers = () => written.out.split(` ${other} `).length - 1;
    await importJobs(other, ['ORD-1']);
    await expect.poll(countOthers).toBeGreaterThan(0);
    await sandbox.control('POST', `/projects/${project}/reset`);
    await importJobs(project, ['ORD-2']);
    const last = (await sandbox.control('GET', `/projects/${project}/requests`)).body.items[0].id;
    await expect.poll(() => written.out).toContain(last);
    // At most those of the last 50 at first, and the new one.
    expect(countOthers()).toBeLessThan(12);
  });

  test('prints what is new after a gap, and nothing twice', async () => {
    const project = freshProject();
    receiver.answer(500);
    await sendTo(project, receiver.url());
    const { written } = follow(proxy().url, '--project', project);
    await importJobs(project, ['FAIL-GEOCODE-1']);
    await expect.poll(() => written.out).toContain('req_');
    await proxy().cut();
    await sandbox.advance(project);
    await importJobs(project, ['ORD-2']);
    await sendNowhere(1001);
    await proxy().restore();
    await expect.poll(() => written.out.match(/req_|attempt \d/g)).toEqual(['req_', 'attempt 1', 'attempt 2', 'req_']);
  });

  test('explains a request also if others come before its problems are listed', async () => {
    const project = freshProject();
    const client = new ControlClient({ url: sandbox.url(), adminToken: undefined });
    const ask = client.ask.bind(client);
    client.ask = async (method, path) => {
      if (path.includes('view=problems')) for (const id of ['J-1', 'J-2', 'J-3']) await importJobs(project, [id]);
      return ask(method, path);
    };
    let out = '';
    const print = (text: string) => {
      out += text;
    };
    const reader = new LogReader(
      client,
      { project, id: undefined, query: {} },
      { explains: true, isJson: false, print },
    );
    await reader.follow([]);
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { job: [] });
    await reader.follow([{ kind: 'request', text: '{}' }]);
    expect(out).toContain('/jobs');
  });
});
