/** Lists of requests and callbacks are sorted by a value, in pages that new items do not move. */
import { beforeAll, expect, test, vi } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject } from '../callbacks/steps.ts';

const sandbox = useSandbox({ clock: 'frozen' });
const receiver = useReceiver();

interface Row {
  readonly id: string;
  readonly durationMs: number;
}

const list = async (path: string, query: string) =>
  (await sandbox.control('GET', `${path}?view=rows&order=newest&${query}`)).body as { items: Row[]; next?: string };

/** Returns all ids, page by page. `between` runs after the first page. */
async function page(path: string, query: string, between: () => Promise<unknown> = async () => undefined) {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { items, next = '' } = await list(path, `${query}&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
    ids.push(...items.map(({ id }) => id));
    if (cursor === '') await between();
    cursor = next;
  } while (cursor !== '');
  return ids;
}

/** Sends orders, and requests that are of no project though their path names it. */
async function fill(project: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: `O-${n}` }] });
    await sandbox.api('GET', `/projects/${project}/nowhere/${n % 2}`);
  }
}

let project = '';
beforeAll(async () => {
  project = freshProject();
  await fill(project, 5);
  // Servers that have just started must learn of each other before each lists the requests of all.
  const lists = Array.from({ length: 6 }, () => `/projects/${project}/requests`);
  const counts = async () => (await Promise.all(lists.map((path) => list(path, '')))).map(({ items }) => items.length);
  await vi.waitFor(async () => expect(await counts()).toEqual(lists.map(() => 10)), { timeout: 60_000 });
});

const fields = ['at', 'method', 'operation', 'project', 'status', 'callbacks', 'duration'];
const valuesOf: Record<string, (row: Record<string, unknown>) => unknown> = {
  operation: (row) => row['operation'] ?? row['path'],
  callbacks: (row) => row['callbackCount'],
  duration: (row) => row['durationMs'],
};

test.each(fields.flatMap((field) => [field, `-${field}`]))(
  'sort=%s pages through all requests in order',
  async (sort) => {
    const path = `/projects/${project}/requests`;
    const { items: newest } = await list(path, '');
    const field = sort.replace('-', '');
    const value = (row: object) => (valuesOf[field] ?? ((one) => one[field]))(row as Record<string, unknown>) as string;
    const sign = sort.startsWith('-') ? -1 : 1;
    // Rows of the same value stay in the order of the list, which the sort of JavaScript keeps.
    const expected = newest.toSorted((a, b) => sign * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
    expect(await page(path, `sort=${sort}`)).toEqual(expected.map(({ id }) => id));
    expect(await page('/requests', `project=${project}&sort=${sort}`)).toEqual(expected.map(({ id }) => id));
  },
);

test('requests that arrive between two pages neither repeat nor hide others', async () => {
  const other = freshProject();
  await fill(other, 3);
  for (const query of ['', 'sort=status', 'sort=-status', 'sort=-at']) {
    const path = `/projects/${other}/requests`;
    const before = await page(path, query);
    const seen = await page(path, query, () => fill(other, 1));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => before.includes(id))).toEqual(before);
  }
});

test('callbacks are sorted by their state and their attempts, the newest first among equal ones', async () => {
  const other = await frozenProject(sandbox, receiver.url());
  receiver.answer(500, 204);
  await failLater(sandbox, other, '1');
  await sandbox.advance(other);
  for (const id of ['2', '3', '4']) await failLater(sandbox, other, id);
  await sandbox.advance(other, '2s');
  const path = `/projects/${other}/callbacks`;
  const newest = (await list(path, '')).items.map(({ id }) => id);
  expect(newest).toHaveLength(4);
  const [first] = newest.slice(-1);
  expect(await page(path, 'sort=-attempts')).toEqual([first, ...newest.slice(0, 3)]);
  expect(await page(path, 'sort=attempts')).toEqual(newest);
  expect(await page(path, 'sort=-at')).toEqual(newest);
});

test('a cursor belongs to one order', async () => {
  const path = `/projects/${project}/requests`;
  const { next = '' } = await list(path, 'sort=status&limit=1');
  for (const query of [
    `sort=-status&cursor=${next}`,
    `cursor=${next}`,
    'sort=status&cursor=5',
    'sort=status&cursor=W10',
  ]) {
    const { status, body } = await sandbox.control('GET', `${path}?${query}`);
    expect([query, status, body.errors[0].path]).toEqual([query, 400, 'query:cursor']);
  }
});

test('the next page of rows that are sorted by long texts can be requested', async () => {
  const records = freshProject();
  const jobs = Array.from({ length: 4 }, (_, n) => ({
    id: `J-${n}`,
    driver: { deviceId: 'D', firstName: '1 x'.repeat(7000) },
  }));
  await sandbox.api('POST', `/sync/projects/${records}/jobs/batch`, { jobs });
  expect(await page(`/projects/${records}/jobs`, 'sort=driver')).toEqual(['J-3', 'J-2', 'J-1', 'J-0']);
});
