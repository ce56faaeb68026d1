/** GET /recording: what it holds at any moment of a project's life, that it changes nothing, and when it is not whole. */
import { describe, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { startListening } from '../callbacks/listener-steps.ts';
import { replay } from '../replay-steps.ts';

const clock = '2026-03-02T09:30:00Z';
const sandbox = useSandbox({ clock });
const { read } = createRecordingReader();

interface Change {
  readonly n: number;
  readonly kind: string;
  readonly at: string;
  readonly state?: string;
  readonly response?: { readonly status: number };
}

async function record(project: string, from: TestSandbox = sandbox) {
  const { status, body } = await from.control('GET', `/projects/${project}/recording`);
  expect(status).toBe(200);
  return body as { readonly complete: boolean; readonly now: string; readonly changes: readonly Change[] };
}

const kindsOf = ({ changes }: { readonly changes: readonly Change[] }): readonly string[] =>
  changes.map(({ n, kind }) => `${n} ${kind}`);

function importJobs(project: string, ids: readonly string[], to: TestSandbox = sandbox) {
  return to.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
}

describe('an unused project', () => {
  test('has an empty, complete recording', async () => {
    const project = freshProject();
    const recording = await record(project);
    const now = new Date(clock).toISOString();
    expect(recording).toMatchObject({ recording: 1, project, complete: true, begunAt: now, now, changes: [] });
    expect(await replay(recording)).toEqual({ requests: 0, callbacks: 0, differences: [] });
  });

  test('reading a project is not recorded as a change', async () => {
    const project = freshProject();
    await importJobs(project, ['A']);
    const before = await record(project);
    for (const path of ['', '/jobs', '/requests', '/callbacks', '/scenarios', '/clock', '/snapshot', '/recording'])
      await sandbox.control('GET', `/projects/${project}${path}`);
    expect(await record(project)).toEqual(before);
  });
});

test('of a project with a listener: it has the answers, and replays like that of a callback URL', async () => {
  const project = freshProject();
  await importJobs(project, ['FAIL-1']);
  const listener = await startListening(sandbox, project);
  const advanced = sandbox.advance(project);
  await listener.answerNext(500, { error: 'connection refused' }, 204);
  await advanced;
  const recording = await record(project);
  expect(kindsOf(recording)).toEqual(['1 request', '2 callback-endpoint', '3 callback', '4 advance']);
  expect(recording.changes[1]).toMatchObject({ url: 'listener:/', disabled: false });
  expect(recording.changes[2]).toMatchObject({
    state: 'delivered',
    attempts: [{ status: 500 }, { error: 'connection refused' }, { status: 204 }],
  });
  expect(await replay(recording)).toEqual({ requests: 1, callbacks: 1, differences: [] });
});

describe('after a reset', () => {
  test('of the project: the recording restarts and has only later requests', async () => {
    const project = freshProject();
    await importJobs(project, ['FAIL-1']);
    await sandbox.advance(project);
    expect(kindsOf(await record(project))).toEqual(['1 request', '2 callback', '3 advance']);
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect(await record(project)).toMatchObject({ complete: true, changes: [] });
    await importJobs(project, ['A']);
    const recording = await record(project);
    expect(kindsOf(recording)).toEqual(['1 request']);
    expect(await replay(recording)).toMatchObject({ requests: 1, differences: [] });
  });

  test('of the server: the same', async () => {
    const project = freshProject();
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' });
    await importJobs(project, ['A']);
    await sandbox.control('POST', '/reset');
    expect(await record(project)).toMatchObject({ complete: true, changes: [] });
  });
});

describe('if the journal dropped entries', () => {
  const brief = useSandbox({ clock, profile: writeProfile({ limits: { journal: 10 } }) });
  const send = async (project: string, count: number) => {
    for (let n = 0; n < count; n += 1) await importJobs(project, ['A'], brief);
  };

  test('the recording is incomplete from the next request on, and complete again after a reset', async () => {
    const project = freshProject();
    await send(project, 10);
    const whole = await record(project, brief);
    expect(whole.complete).toBe(true);
    expect(await replay(whole)).toMatchObject({ requests: 10, differences: [] });
    await send(project, 1);
    const recording = await record(project, brief);
    expect(recording.complete).toBe(false);
    expect(recording.changes).toHaveLength(10);
    expect(recording.changes[0]?.n).toBe(2);
    expect(await read(recording, 'r.json')).toEqual({
      mistakes: [
        expect.stringMatching(
          /^r\.json: \/complete: expected true, got false; an incomplete recording cannot be replayed/,
        ),
      ],
    });
    await brief.control('POST', `/projects/${project}/reset`);
    await send(project, 1);
    expect((await record(project, brief)).complete).toBe(true);
  });

  test('a dropped setting also makes it incomplete', async () => {
    const project = freshProject();
    await brief.control('PUT', `/projects/${project}/scenarios`, { scenarios: ['partial-batch'] });
    await send(project, 10);
    expect((await record(project, brief)).complete).toBe(true);
    await send(project, 1);
    const recording = await record(project, brief);
    expect(recording.complete).toBe(false);
    expect(recording.changes.filter(({ kind }) => kind === 'scenarios')).toEqual([]);
  });

  test('requests of another project do not affect it', async () => {
    const [quiet, loud] = [freshProject(), freshProject()];
    await send(quiet, 1);
    await send(loud, 11);
    expect((await record(loud, brief)).complete).toBe(false);
    expect((await record(quiet, brief)).complete).toBe(true);
  });
});

test('a request that a scenario delays is recorded before its response', async () => {
  const project = freshProject();
  const rules = [{ then: { latency: '10m' } }];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'slow', rules }] });
  const leaving = new AbortController();
  const held = fetch(`${sandbox.url()}/sync/projects/${project}/jobs/batch`, {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    body: JSON.stringify({ jobs: [{ id: 'A' }, { id: 'FAIL-1' }] }),
    signal: leaving.signal,
  });
  const left = expect(held).rejects.toThrow('aborted');
  while ((await sandbox.items(project, 'jobs')).length === 0);
  const recording = await record(project);
  expect(recording.complete).toBe(true);
  expect(kindsOf(recording)).toEqual(['1 scenarios', '2 request']);
  expect(recording.changes[1]?.response?.status).toBe(200);
  // Whoever plays it does not wait.
  expect(await replay(recording)).toEqual({ requests: 1, callbacks: 0, differences: [] });
  leaving.abort();
  await left;
});

describe('during an advance', () => {
  const receiver = useReceiver();

  test('the recording has all changes so far; the advance itself is added at its end', async () => {
    const project = freshProject();
    await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
    await importJobs(project, ['FAIL-1']);
    await sandbox.advance(project, '100ms');
    await importJobs(project, ['FAIL-2']);
    let answer = (): void => undefined;
    const answered = new Promise<void>((done) => {
      answer = done;
    });
    receiver.handle(async () => {
      await answered;
      return 204;
    });
    const advancing = sandbox.advance(project, '1m');
    await receiver.waitFor(1);

    const middle = await record(project);
    expect(middle.complete).toBe(true);
    expect(middle.now).toBe('2026-03-02T09:30:00.200Z');
    const before = ['1 callback-endpoint', '2 request', '3 advance', '4 request', '5 callback'];
    expect(kindsOf(middle)).toEqual(before);
    expect(middle.changes[4]?.state).toBe('scheduled');
    expect(await replay(middle)).toEqual({ requests: 2, callbacks: 1, differences: [] });

    answer();
    await advancing;
    const end = await record(project);
    expect(end).toMatchObject({ complete: true, now: '2026-03-02T09:31:00.100Z' });
    expect(kindsOf(end)).toEqual([...before, '6 callback', '7 advance']);
    expect(end.changes[4]?.state).toBe('delivered');
    expect(await replay(end)).toEqual({ requests: 2, callbacks: 2, differences: [] });
  });
});

describe('with an --admin-token', () => {
  const guarded = useSandbox({ clock, adminToken: 'open-sesame' });
  const project = freshProject();

  test('the recording requires the token and does not contain it', async () => {
    await importJobs(project, ['A'], guarded);
    const path = `/projects/${project}/recording`;
    expect((await guarded.control('GET', path)).status).toBe(401);
    expect((await guarded.control('GET', path, undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    const authorization = 'Bearer open-sesame';
    const settings = { scenarios: ['partial-batch'] };
    await guarded.control('PUT', `/projects/${project}/scenarios`, settings, { authorization });
    const { status, body, text } = await guarded.control('GET', path, undefined, { authorization });
    expect(status).toBe(200);
    expect(kindsOf(body)).toEqual(['1 request', '2 scenarios']);
    expect(text).not.toContain('open-sesame');
    expect(await replay(body)).toMatchObject({ requests: 1, differences: [] });
  });
});
