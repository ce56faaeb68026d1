/** Fills a project with data for every screen: part of a morning, with requests of many kinds and their callbacks. */
import type { TestSandbox } from '../harness/sandbox.ts';

export const demo = 'demo';

type Step = readonly [gap: string, method: string, path: string, body: object];

const jobs = `/async/projects/${demo}/jobs`;
const job = `/sync/projects/${demo}/jobs`;
const orders = `/sync/projects/${demo}/orders`;

const place = (n: number) => ({
  address: {
    streetAddress: '12 Kent Street',
    geoJson: { type: 'Point', coordinates: [153 + n / 100, -27.4 - n / 150] },
  },
});
const toJobs = (from: number, count: number, ...others: readonly object[]) => ({
  jobs: [...Array.from({ length: count }, (_, n) => ({ id: `ORD-${from + n}`, ...place(n % 9) })), ...others],
});
const located = (n: number): Step => [
  '700ms',
  'POST',
  `/projects/${demo}/locations`,
  {
    deviceId: `van-${(n % 2) + 1}`,
    eventDateTime: new Date(Date.parse('2026-03-02T09:00:00Z') + n * 60_000).toISOString(),
    geoJson: { type: 'Point', coordinates: [153 + n / 90, -27.4 - (n % 5) / 60] },
  },
];
const route = { id: 'R-1', jobs: [2, 7].map((n) => ({ id: `RJ-${n}`, ...place(n) })) };
const user = { username: 'ana', password: 'Gehe1m!', type: 'driver', visibleBy: 'S-1', access: 'DRIVER' };

const steps: readonly Step[] = [
  ...Array.from({ length: 20 }, (_, n) => located(n)),
  ['4s', 'POST', jobs, toJobs(20931, 48, { id: 'FAIL-GEOCODE-5' }, { id: 'ORD-20979', status: 'DELIVERD' })],
  ['1100ms', 'PATCH', job, { id: 'ORD-20931', status: 'DISPATCH' }],
  ['2s', 'POST', `/sync/projects/${demo}/routes/batch`, { routes: [route] }],
  ['2s', 'POST', orders, { orders: [{ id: 'O-1' }, { id: 'O-2', status: 'READY' }] }],
  ['1s', 'POST', `/projects/${demo}/users`, user],
  ['2s', 'POST', `/async/project/${demo}/jobs`, { jobs: [] }],
  ['6300ms', 'PATCH', job, { id: 'ORD-20931', status: 'ARRIVING' }],
  ['5s', 'POST', `/async/projects/${demo}/orders`, { orders: [{ id: 'INV-771', colour: 'red' }, { id: 'INV-772' }] }],
  ['21s', 'POST', jobs, toJobs(20992, 3, { id: 'FAIL-CAPACITY-9' })],
  ['1400ms', 'PATCH', job, { id: 'ORD-20931', status: 'DELIVERD' }],
  ['8s', 'PATCH', job, { id: 'ORD-20931', status: 'DELIVERED', address: { streetAddress: '14 Kent Street' } }],
  ['3s', 'POST', orders, { orders: [{ id: 'O-4' }] }],
  ['900ms', 'POST', jobs, toJobs(20996, 2, { id: 'FAIL-GEOCODE-11' })],
];

/** Freezes the clock of the project, and leaves work pending. `url`: of the receiver; by default, there is none. */
export async function fillDemo({ api, control, advance, freeze }: TestSandbox, url?: string): Promise<void> {
  await freeze(demo);
  if (url !== undefined) await control('PUT', `/projects/${demo}/callback-endpoint`, { url });
  const down = { name: 'down', when: { operation: 'syncImportOrders', item: { id: 'O-4' } } };
  const rules = [{ ...down, then: { respond: { status: 500 } }, times: 1 }];
  await control('PUT', `/projects/${demo}/scenarios`, {
    scenarios: [{ name: 'orders-down', rules }, 'eventual-consistency'],
  });
  for (const [gap, method, path, body] of steps) {
    await api(method, path, body);
    await advance(demo, gap);
  }
}
