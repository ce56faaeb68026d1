/** Lists of requests and callbacks can be waited for: what is there counts, and a reset ends the waiting. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject } from '../callbacks/steps.ts';

const sandbox = useSandbox();
const get = (path: string) => sandbox.control('GET', path);
const send = (project: string) => sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [] });

/** Asks for this, and once the question has arrived does what is to answer it. */
async function whileWaiting(path: string, act: () => Promise<unknown>) {
  const asked = get(path);
  // What is answered later was read later.
  await get('/health');
  await act();
  return (await asked).body;
}

/** Asks for this, and resets until the question is answered: of several servers, one may get the reset first. */
async function whileResetting(path: string, reset: () => Promise<unknown>) {
  let isAnswered = false;
  const asked = get(path).finally(() => {
    isAnswered = true;
  });
  await get('/health');
  while (!isAnswered) await reset();
  return (await asked).body;
}

describe.each([
  ['requests', send],
  [
    'callbacks',
    async (project: string) => {
      await failLater(sandbox, project);
      await sandbox.advance(project);
    },
  ],
])('%s', (list, make) => {
  test('that exist are returned at once', async () => {
    const project = await frozenProject(sandbox);
    await make(project);
    await make(project);
    const { body } = await get(`/projects/${project}/${list}?await=30s&min=2`);
    expect(body).toMatchObject({ satisfied: true });
    expect(body.items).toHaveLength(2);
  });

  test('that arrive later end the wait', async () => {
    const project = await frozenProject(sandbox);
    await make(project);
    const body = await whileWaiting(`/projects/${project}/${list}?await=30s&min=2`, () => make(project));
    expect([body.satisfied, body.items.length]).toEqual([true, 2]);
  });

  test('that never arrive: the response has the existing ones after the timeout', async () => {
    const project = await frozenProject(sandbox);
    await make(project);
    const started = performance.now();
    const { body } = await get(`/projects/${project}/${list}?await=50ms&min=2`);
    expect([body.satisfied, body.items.length]).toEqual([false, 1]);
    expect(performance.now() - started).toBeGreaterThan(45);
  });

  test('count only after `since`', async () => {
    const project = await frozenProject(sandbox);
    await make(project);
    const since = String((await sandbox.items(project, list))[0]?.['id']);
    const path = `/projects/${project}/${list}?since=${since}`;
    expect((await get(`${path}&await=20ms`)).body).toEqual({ items: [], satisfied: false });
    const body = await whileWaiting(`${path}&await=30s`, () => make(project));
    expect([body.satisfied, body.items.length]).toEqual([true, 1]);
    expect(body.items[0].id).not.toBe(since);
  });

  test('stop waiting at a reset, also of an unused project', async () => {
    const project = await frozenProject(sandbox);
    const path = `/projects/${project}/${list}?await=30s`;
    const reset = () => sandbox.control('POST', `/projects/${project}/reset`);
    expect(await whileResetting(path, reset)).toEqual({ items: [], satisfied: false });
    expect(await whileResetting(path, reset)).toEqual({ items: [], satisfied: false });
  });

  test('stop waiting at a reset of all projects', async () => {
    const resetAll = () => sandbox.control('POST', '/reset');
    const path = `/projects/${freshProject()}/${list}?await=30s`;
    expect(await whileResetting(path, resetAll)).toEqual({ items: [], satisfied: false });
  });
});

describe('in the project of `--demo`', () => {
  const demo = useSandbox({ demo: 'true' });
  const list = '/projects/demo/callbacks?await=30s';
  const wait = async (query = '') => (await demo.control('GET', list + query)).body;

  test('a wait returns a callback of the demo; with `since`, it waits for a new one', async () => {
    const first = await wait();
    expect(first).toMatchObject({ satisfied: true, items: expect.arrayContaining([expect.anything()]) });
    const last = first.items.at(-1).id;
    await failLater(demo, 'demo', 'later');
    const [next] = (await wait(`&since=${last}`)).items;
    expect(next).toMatchObject({ body: { data: { failed: [{ id: expect.stringContaining('later') }] } } });
  });

  test.each(['await', 'since'])('the document explains `%s`', async (name) => {
    const { parameters } = (await demo.control('GET', '/control.json')).body.components;
    const described = Object.values(parameters as Record<string, { name: string; description: string }>);
    // `since` of the listener says which callbacks it gets first.
    const texts = described
      .filter((one) => one.name === name && !one.description.startsWith('First sends again'))
      .map(({ description }) => description);
    expect(texts).not.toEqual([]);
    for (const text of texts) expect(text).toMatch(name === 'await' ? /`--demo`.*`since`/s : /`await`/);
  });
});

test('a filter applies while waiting', async () => {
  const project = freshProject();
  const path = `/projects/${project}/requests?await=30s&status=400`;
  const body = await whileWaiting(path, async () => {
    await send(project);
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: 'none' });
  });
  expect(body).toMatchObject({ satisfied: true, items: [{ status: 400 }] });
});

test("a client can wait for a callback's change of state", async () => {
  const project = await frozenProject(sandbox);
  await failLater(sandbox, project);
  const path = `/projects/${project}/callbacks?await=30s&state=inbox`;
  expect(await whileWaiting(path, () => sandbox.advance(project))).toMatchObject({ satisfied: true });
});

test('a client can wait for an outcome that comes after the response', async () => {
  const project = await frozenProject(sandbox);
  await failLater(sandbox, project);
  const path = `/projects/${project}/requests?view=rows&outcome=failed&await=10s`;
  const body = await whileWaiting(path, () => sandbox.advance(project));
  expect(body).toMatchObject({ satisfied: true, items: [{ entries: { failed: 1 } }] });
});

test('a client can wait for requests without a project in the journal of all projects', async () => {
  const body = await whileWaiting('/requests?await=30s&status=404', () => sandbox.api('GET', '/nowhere'));
  expect(body).toMatchObject({ satisfied: true, items: [{ project: null }] });
});
