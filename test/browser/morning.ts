/** Plays part of a morning for the pictures of the docs: requests of many kinds, seconds apart, and their callbacks. */
import type { Received, Receiver } from '../harness/receiver.ts';
import type { TestSandbox } from '../harness/sandbox.ts';

type Step = readonly [gap: string, method: string, path: string, body: object];

const project = 'demo';
const jobs = `/async/projects/${project}/jobs`;
const job = `/sync/projects/${project}/jobs`;

const toJobs = (from: number, count: number, ...others: readonly object[]) => ({
  jobs: [...Array.from({ length: count }, (_, n) => ({ id: `ORD-${from + n}` })), ...others],
});
const toLocation = (deviceId: string, minute: number) => ({
  deviceId,
  eventDateTime: `2026-03-02T09:${minute}:00Z`,
  geoJson: { type: 'Point', coordinates: [153.0251 + minute / 1000, -27.4698] },
});

const steps: readonly Step[] = [
  ['4s', 'POST', jobs, toJobs(20931, 48, { id: 'FAIL-GEOCODE-3' }, { id: 'ORD-20979', status: 'DELIVERD' })],
  ['1100ms', 'PATCH', job, { id: 'ORD-20931', status: 'DISPATCH' }],
  ['700ms', 'POST', `/projects/${project}/locations`, toLocation('van-7', 31)],
  ['2s', 'POST', jobs, toJobs(20980, 12)],
  ['6300ms', 'PATCH', job, { id: 'ORD-20931', status: 'ARRIVING' }],
  ['800ms', 'POST', `/projects/${project}/locations`, toLocation('van-4', 32)],
  [
    '5s',
    'POST',
    `/async/projects/${project}/orders`,
    { orders: [{ id: 'INV-771', colour: 'red' }, { id: 'INV-772' }] },
  ],
  ['21s', 'POST', jobs, toJobs(20992, 3, { id: 'FAIL-CAPACITY-9' })],
  ['3s', 'PATCH', job, { id: 'ORD-20931', status: 'DELIVERED' }],
  ['1400ms', 'PATCH', job, { id: 'ORD-20944', status: 'DELIVERD' }],
  ['8s', 'PATCH', job, { id: 'ORD-20944', status: 'DELIVERED' }],
  ['2600ms', 'POST', `/projects/${project}/locations`, toLocation('van-7', 33)],
  ['900ms', 'POST', jobs, toJobs(20996, 2, { id: 'FAIL-GEOCODE-11' })],
];

/** Sends the requests to the project `demo`. The receiver refuses each callback twice. */
export async function playMorning({ api, control, advance }: TestSandbox, receiver: Receiver): Promise<void> {
  const tries = new Map<string, number>();
  receiver.handle(({ headers }: Received) => {
    const id = String(headers['webhook-id']);
    const count = (tries.get(id) ?? 0) + 1;
    tries.set(id, count);
    if (count > 2) return 204;
    const body = Buffer.from('{"error":"The database is in maintenance.","retry":"in a minute"}');
    return { status: 503, headers: { 'content-type': 'application/json' }, body };
  });
  await control('PUT', `/projects/${project}/callback-endpoint`, { url: `${receiver.url()}/callbacks` });
  for (const [gap, method, path, body] of steps) {
    // A scenario that breaks connections is active.
    await api(method, path, body).catch(() => undefined);
    await advance(project, gap);
  }
}
