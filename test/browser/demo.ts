/** Fills a project with sample data for every screen. */
import type { TestSandbox } from '../harness/sandbox.ts';

export const demo = 'demo';

const minuteMs = 60_000;
const morningMs = Date.parse('2026-03-02T09:00:00Z');

export async function fillDemo({ api, control }: TestSandbox): Promise<void> {
  for (let n = 0; n < 20; n += 1) {
    await api('POST', `/projects/${demo}/locations`, {
      deviceId: `van-${(n % 2) + 1}`,
      eventDateTime: new Date(morningMs + n * minuteMs).toISOString(),
      geoJson: { type: 'Point', coordinates: [153 + n / 90, -27.4 - (n % 5) / 60] },
    });
  }
  const address = (n: number) => ({
    address: {
      streetAddress: '12 Kent Street',
      geoJson: { type: 'Point', coordinates: [153 + n / 100, -27.4 - n / 150] },
    },
  });
  const jobs = Array.from({ length: 4 }, (_, n) => ({ id: `J-${n + 1}`, ...address(n) }));
  await api('POST', `/async/projects/${demo}/jobs`, {
    jobs: [...jobs, { id: 'FAIL-GEOCODE-5' }, { id: 'J-6', status: 'DELIVERD' }],
  });
  await api('POST', `/sync/projects/${demo}/routes/batch`, {
    routes: [
      {
        id: 'R-1',
        jobs: [
          { id: 'RJ-1', ...address(2) },
          { id: 'RJ-2', ...address(7) },
        ],
      },
    ],
  });
  await api('POST', `/sync/projects/${demo}/orders`, { orders: [{ id: 'O-1' }, { id: 'O-2' }] });
  const user = { username: 'ana', password: 'Gehe1m!', type: 'driver', visibleBy: 'S-1', access: 'DRIVER' };
  await api('POST', `/projects/${demo}/users`, user);
  await api('POST', `/async/project/${demo}/jobs`, { jobs: [] });
  await api('POST', `/async/projects/${demo}/orders`, { orders: [{ id: 'O-3', colour: 'red' }] });
  const rules = [
    { name: 'down', when: { operation: 'syncImportOrders' }, then: { respond: { status: 500 } }, times: 1 },
  ];
  await control('PUT', `/projects/${demo}/scenarios`, { scenarios: [{ name: 'orders-down', rules }, 'outage'] });
  await api('POST', `/sync/projects/${demo}/orders`, { orders: [{ id: 'O-4' }] });
  // With a frozen clock, nothing happens until it is advanced.
  const { mode } = (await control('GET', `/projects/${demo}/clock`)).body;
  if (mode === 'frozen') await control('POST', `/projects/${demo}/clock/advance`, { until: 'idle' });
  else await control('GET', `/projects/${demo}/callbacks?await=5s&min=1&state=inbox`);
}
