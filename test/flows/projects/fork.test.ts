/** POST /fork: copies of projects, at present and as they were after a change, and what they share with the original. */
import { describe, expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const clock = '2026-03-02T09:30:00Z';
const begin = new Date(clock).toISOString();
const sandbox = useSandbox({ clock, magicIds: 'true' });
const receiver = useReceiver();

function fork(project: string, to: string, atChange?: number) {
  return sandbox.control('POST', `/projects/${project}/fork`, { to, ...(atChange !== undefined && { atChange }) });
}

/** Forks a project, and returns the id of the fork. */
async function forked(project: string, atChange?: number): Promise<string> {
  const to = freshProject();
  const { status, body } = await fork(project, to, atChange);
  expect({ status, id: body.id, message: body.message }).toEqual({ status: 201, id: to, message: undefined });
  return to;
}

const get = async (project: string, path = '') => (await sandbox.control('GET', `/projects/${project}${path}`)).body;

/** What the control API shows of a project, without what differs between a project and its fork. */
async function stateOf(project: string) {
  const { counts, clock: shown, scenarios } = await get(project);
  const [snapshot, rules, pending, expectations, callbacks] = await Promise.all([
    get(project, '/snapshot'),
    get(project, '/scenarios'),
    get(project, '/pending'),
    get(project, '/expectations'),
    get(project, '/callbacks'),
  ]);
  return {
    counts: { ...counts, requests: 0 },
    ...{ clock: shown, scenarios, snapshot, rules, expectations },
    pending: pending.items.map(({ callbackId, ...due }: { callbackId?: string }) => ({
      ...due,
      isAttempt: !!callbackId,
    })),
    callbacks: callbacks.items.map(({ state, type, dueAt, requestId, attempts }: Record<string, unknown>) => ({
      ...{ state, type, dueAt, requestId },
      attempts: (attempts as readonly { at: string; cause: string; status?: number }[]).map(
        ({ at, cause, status }) => ({ at, cause, status }),
      ),
    })),
  };
}

const importJobs = (project: string, ...ids: readonly string[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });

const location = { deviceId: 'D', eventDateTime: begin, geoJson: { type: 'Point', coordinates: [9.9, 53.5] } };

const scenario = {
  name: 'story',
  rules: [
    { name: 'third', when: { operation: 'asyncImportJobs', request: { nth: 3 } }, then: { respond: { status: 503 } } },
    { name: 'late', when: { operation: 'asyncImportJobs' }, then: { callback: { delay: '5m', copies: 2 } } },
    {
      name: 'by secret',
      when: { operation: 'syncImportOrders', where: { 'headers.apikey': 'sandbox-key' } },
      then: { respond: { status: 429 } },
    },
  ],
  expect: [
    { requests: { operation: 'asyncImportJobs', min: 1 } },
    { callbacks: { type: 'jobs.import.failed', min: 1 } },
    { rule: 'late', after: 'third', min: 1 },
  ],
};

const advance = (project: string, by: string) => sandbox.control('POST', `/projects/${project}/clock/advance`, { by });
const put = (project: string, path: string, body: object) =>
  sandbox.control('PUT', `/projects/${project}/${path}`, body);

/** Requests that change a project. */
const story: readonly ((project: string) => Promise<{ readonly status: number; readonly body: unknown }>)[] = [
  (project) => importJobs(project, 'A', 'FAIL-1'),
  (project) => advance(project, '1s'),
  (project) => put(project, 'callback-endpoint', { url: receiver.url() }),
  (project) => importJobs(project, 'FAIL-0'),
  (project) => advance(project, '10s'),
  (project) => put(project, 'scenarios', { scenarios: [scenario] }),
  (project) => importJobs(project, 'B', 'FAIL-2'),
  (project) => advance(project, '1m'),
  async (project) => put(project, 'snapshot', await get(project, '/snapshot')),
  (project) => importJobs(project, 'FAIL-5'),
  (project) => advance(project, '1m'),
  (project) => sandbox.api('POST', `/projects/${project}/locations`, location),
  (project) => importJobs(project, 'C'),
  (project) => importJobs(project, 'D', 'FAIL-3'),
  (project) => advance(project, '5m'),
  (project) => sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O' }] }),
  (project) => sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'A', status: 'DISPATCH' }),
  (project) => advance(project, '3m'),
  async (project) => put(project, 'snapshot', await get(project, '/snapshot')),
  (project) => put(project, 'clock', { mode: 'frozen', now: '2026-03-02T12:00:00Z' }),
  (project) => importJobs(project, 'E', 'FAIL-4'),
  (project) => advance(project, '20m'),
  async (project) => {
    await advance(project, '1m');
    const [{ id }] = (await get(project, '/callbacks?state=inbox')).items;
    return sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);
  },
];

describe('at any change of a story', () => {
  test('the fork is the project as it was then', async () => {
    receiver.answer(500, 500, 500, 500, 500, 500, 500);
    const project = freshProject();
    const states = new Map<number, unknown>();
    for (const play of story) {
      const { status, body } = await play(project);
      expect(status, JSON.stringify(body)).not.toBe(400);
      const { changes } = await get(project, '/recording');
      states.set(changes.length, await stateOf(project));
    }
    expect(states.size).toBe(story.length);
    const latest = Math.max(...states.keys());
    expect(await stateOf(await forked(project))).toEqual(states.get(latest));
    for (const [change, state] of states) {
      const to = await forked(project, change);
      expect({ change, state: await stateOf(to) }).toEqual({ change, state });
      await importJobs(to, 'Z');
      expect((await sandbox.items(to, 'requests')).at(-1)).toMatchObject({ change: change + 1 });
    }
    expect(await stateOf(project)).toEqual(states.get(latest));
  });
});

describe('a fork', () => {
  test('shares no record with the original, also of an import that is stored unread', async () => {
    const project = freshProject();
    const jobs = Array.from({ length: 400 }, (_, index) => ({ id: `J-${index}`, note: 'x'.repeat(200) }));
    await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
    await sandbox.api('POST', `/projects/${project}/locations`, location);
    const before = await get(project, '/snapshot');
    const to = await forked(project);
    await sandbox.api('PATCH', `/sync/projects/${to}/jobs`, { id: 'J-1', status: 'DISPATCH' });
    await sandbox.api('POST', `/projects/${to}/locations`, { ...location, eventDateTime: '2026-03-02T10:00:00Z' });
    expect(await get(project, '/snapshot')).toEqual(before);
    const changed = await get(to, '/snapshot');
    await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-2', status: 'PENDING' });
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect(await get(to, '/snapshot')).toEqual(changed);
    expect(changed.jobs.filter(({ status }: { status?: string }) => status !== undefined)).toHaveLength(1);
    expect(changed.locations[0].trail).toHaveLength(2);
  });
});

test('is refused if another request forks to the same project', async () => {
  const project = freshProject();
  await importJobs(project, 'A');
  const twice = freshProject();
  const answers = await Promise.all([fork(project, twice), fork(project, twice, 1)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
});
