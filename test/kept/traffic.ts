/** Traffic that leaves something in every part of a stored project, and what a sandbox shows of it. */
import type { KeptSandbox } from '../flows/data-steps.ts';

/** The projects that the traffic leaves. The second one is a fork of the first. */
const projects = ['kept', 'kept-fork'] as const;

export const keptOptions = { seed: 'kept', clock: '2026-03-02T09:00:00.000Z' } as const;

const geoJson = { type: 'Point', coordinates: [11.5, 48.1] };

const scenario = {
  name: 'kept',
  rules: [
    { when: { operation: 'asyncImportJobs', item: { id: 'BAD-*' } }, then: { fail: 'no such customer', after: '5s' } },
    { when: { operation: 'asyncImportJobs' }, then: { callback: { copies: 2, delay: '3s' } } },
    {
      when: { operation: 'asyncImportOrders', item: 1 },
      then: { fail: 'closed', callback: { order: 'reverse', delay: '10s' } },
    },
    { when: { operation: 'syncCreateJob' }, times: 1, then: { respond: { status: 503 } } },
  ],
  expect: [{ requests: { operation: 'syncCreateJob', status: '2xx', min: 1 } }],
};

/** Plays the traffic. Fails if a request gets another status than it should. */
export async function play({ api, control }: KeptSandbox): Promise<void> {
  const here = '/projects/kept';
  const ok = async (answer: Promise<{ readonly status: number; readonly body: unknown }>, status: number) => {
    const { status: actual, body } = await answer;
    if (actual !== status) throw new Error(`expected ${status}, got ${actual}: ${JSON.stringify(body)}`);
  };
  await ok(control('POST', '/keys', { projects: ['kept*'], label: 'kept' }), 201);
  await ok(control('PUT', `${here}/scenarios`, { scenarios: [scenario] }), 200);
  await ok(control('PUT', `${here}/callback-endpoint`, { url: 'http://127.0.0.1:9/nobody' }), 200);
  const job = { id: 'JOB-1', status: 'PENDING', address: { postcode: '4000' } };
  await ok(api('POST', '/sync/projects/kept/jobs', job), 503);
  await ok(api('POST', '/sync/projects/kept/jobs', job), 201);
  await ok(api('POST', '/sync/projects/kept/jobs', { id: 7 }), 400);
  await ok(api('POST', `${here}/locations`, { deviceId: 'van 日本 \u{1f69a}', eventDateTime: keptOptions.clock, geoJson }), 200);
  await ok(api('POST', '/async/projects/kept/jobs', { jobs: [{ ...job, id: 'JOB-2' }, { ...job, id: 'BAD-1' }] }), 202);
  await ok(control('POST', `${here}/clock/advance`, { by: '1s' }), 200);
  await ok(api('POST', '/async/projects/kept/orders', { orders: [{ id: 'ORDER-1' }] }), 202);
  await ok(control('POST', `${here}/fork`, { to: 'kept-fork' }), 201);
  await ok(control('POST', `${here}/clock/advance`, { by: '6s' }), 200);
}

/** Returns what a sandbox shows of the projects. `journal`: also what it received. */
export async function show({ control }: KeptSandbox, what: { readonly journal: boolean }): Promise<object> {
  const journal = what.journal ? ['requests?limit=100'] : [];
  const parts = ['snapshot', 'clock', 'pending', 'scenarios', 'callbacks', 'callback-endpoint', ...journal];
  const shown: Record<string, unknown> = { keys: (await control('GET', '/keys')).body };
  for (const project of projects)
    for (const part of parts) {
      const { status, body } = await control('GET', `/projects/${project}/${part}`);
      if (status !== 200) throw new Error(`${project}/${part}: ${status} ${JSON.stringify(body)}`);
      shown[`${project}/${part}`] = body;
    }
  return shown;
}
