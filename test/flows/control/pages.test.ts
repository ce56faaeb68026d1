/** Lists of the control API come in pages: `next` leads on, limits are held, and what is no cursor is refused. */
import { beforeAll, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

let project: string;
beforeAll(async () => {
  project = freshProject();
  const orders = Array.from({ length: 25 }, (_, i) => ({ id: `O-${i}`, status: i % 5 === 0 ? 'READY' : 'PENDING' }));
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders });
});

const get = (path: string) => sandbox.control('GET', path);
const path = (query: string) => `/projects/${project}/orders${query}`;

test('`next` leads through all pages in order', async () => {
  for (const limit of [1, 7, 25]) {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { status, body } = await get(path(`?limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`));
      expect(status).toBe(200);
      expect(body.items.length).toBeLessThanOrEqual(limit);
      seen.push(...(body.items as { id: string }[]).map(({ id }) => id));
      cursor = body.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => `O-${i}`));
  }
});

test('a filter applies before paging', async () => {
  const first = await get(path('?status=READY&limit=3'));
  const second = await get(path(`?status=READY&limit=3&cursor=${first.body.next}`));
  const ids = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id);
  expect(ids).toEqual(['O-0', 'O-5', 'O-10', 'O-15', 'O-20']);
  expect(second.body.next).toBeUndefined();
});

test.each(['limit=0', 'limit=1001', 'limit=-1', 'limit=1.5', 'limit=ten', 'limit=', 'limit=1&limit=2'])(
  'rejects %s',
  async (query) => {
    const answer = await get(path(`?${query}`));
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'query:limit' }] } });
  },
);

test.each(['cursor=', 'cursor=nonsense', 'cursor=1.5', 'cursor=-7', 'cursor=0x1', 'cursor=%20', 'cursor=1e1'])(
  'rejects %s',
  async (query) => {
    for (const list of [path(''), '/projects', '/requests', '/scenarios', `/projects/${project}/callbacks`]) {
      expect(await get(`${list}?${query}`), list).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'query:cursor' }] },
      });
    }
  },
);

test('a page has 100 entries by default, at most 1,000, and the last page has no `next`', async () => {
  expect((await get(path('?limit=1000'))).body.items).toHaveLength(25);
  expect((await get(path('?cursor=999'))).body).toEqual({ items: [] });
  const orders = Array.from({ length: 101 }, (_, i) => ({ id: `${i}` }));
  const own = freshProject();
  await sandbox.api('POST', `/sync/projects/${own}/orders`, { orders });
  const { body } = await get(`/projects/${own}/orders`);
  expect(body.items).toHaveLength(100);
  expect(body.next).toBe('99');
});
