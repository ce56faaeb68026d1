/** What a stored project keeps that no other flow restarts with: open groups of callbacks, and a log of limited length. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useFolders } from '../data-steps.ts';

const { fresh, start } = useFolders();
const clock = '2026-03-02T09:00:00.000Z';

test('a long log is merged into the file of its project', async () => {
  const folder = fresh();
  const first = await start(folder, { clock });
  const log = path.join(folder, 'p.json.log');
  const sizes: number[] = [];
  for (let n = 0; n < 8; n += 1) {
    const orders = [{ id: `O-${n}`, attributes: { padding: 'x'.repeat(100_000) } }];
    expect((await first.api('POST', '/sync/projects/p/orders', { orders })).body.failed).toEqual([]);
    sizes.push(statSync(log, { throwIfNoEntry: false })?.size ?? 0);
  }
  // It grows by each order, until it is larger than 256 kB and the file.
  expect(sizes[2]).toBeGreaterThan(200_000);
  expect(Math.max(...sizes)).toBeLessThan(600_000);
  await first.close();
  const second = await start(folder, { clock });
  expect((await second.control('GET', '/projects/p')).body.counts.orders).toBe(8);
});

test('a restored snapshot has no password, and the points of a device in order of their times', async () => {
  const folder = fresh();
  const { control, close } = await start(folder, { clock });
  const at = (minute: number) => ({ deviceId: 'D', eventDateTime: `2026-03-02T09:0${minute}:00Z` });
  const users = [{ username: 'ana', password: 'Secret!1' }];
  const locations = [{ ...at(5), trail: [at(5), at(1), at(3)] }];
  const snapshot = { version: 1, jobs: [], orders: [], routes: [], users, locations };
  expect((await control('PUT', '/projects/p/snapshot', snapshot)).status).toBe(200);
  expect((await control('GET', '/projects/p/users')).body.items).toMatchObject([{ username: 'ana' }]);
  expect(readFileSync(path.join(folder, 'p.json'), 'utf8')).not.toContain('Secret');
  const { items } = (await control('GET', '/projects/p/locations/D')).body;
  expect(items.map((one: ReturnType<typeof at>) => one.eventDateTime)).toEqual(
    [1, 3, 5].map((minute) => at(minute).eventDateTime),
  );
  await close();
});
