/** A test suite of the integration: does a day's work, and checks what became of it. */
import { createClient } from './client.mjs';
import { startReceiver } from './receiver.mjs';
import { createSandbox } from './sandbox.mjs';

const project = 'north';
const maxWaitMs = 6000;

/** Failures that the suite provokes, by operation and id: the callbacks that it expects. */
const expectedFailures = [
  'asyncImportJobs FAIL-CAPACITY-1',
  'asyncImportJobs FAIL-GEOCODE-1',
  'asyncImportOrders FAIL-ORDER-1',
  'asyncUpdateJobs FAIL-UPDATE-1',
];

const expectedRecords = {
  jobs: ['ORD-1 ', 'ORD-2 DISPATCH', 'ORD-3 ', 'ORD-4 ', 'ORD-5 ', 'ORD-6 DELIVERED'],
  orders: ['CC-1 ', 'CC-2 READY'],
  routes: ['ROUTE-1 '],
  users: ['m.keller '],
  locations: ['VAN-1 2026-03-02T09:10:00Z', 'VAN-2 2026-03-02T09:00:00Z'],
};

/**
 * Runs the suite and exits with 0 or 1.
 * `isThorough`: whether it also checks callbacks and stored records. Many suites check only what their client reports.
 */
export async function runSuite(rules, { isThorough }) {
  const problems = await collectProblems(rules, isThorough).catch((error) => [error.message]);
  for (const problem of problems) console.error(`failed: ${problem}`);
  if (problems.length === 0) console.log('passed');
  process.exit(problems.length === 0 ? 0 : 1);
}

async function collectProblems(rules, isThorough) {
  // biome-ignore lint/style/noProcessEnv: all that a suite knows
  const { SANDBOX_URL: url, SANDBOX_API_KEY: apiKey } = process.env;
  const sandbox = createSandbox(url, project);
  const client = createClient({ url, apiKey, project }, rules);
  const receiver = await startReceiver(rules, client.handle);
  await sandbox.sendCallbacksTo(receiver.url);
  await work(client);

  const failures = () => client.failures().map(({ operation, id }) => `${operation} ${id}`);
  const missing = () => expectedFailures.filter((one) => !failures().includes(one));
  const deadline = AbortSignal.timeout(maxWaitMs);
  await Promise.race([receiver.until(() => missing().length === 0, deadline), sandbox.untilIdle(deadline)]);
  if (isThorough && receiver.rejected.length > 0) return receiver.rejected;
  await sandbox.untilIdle(deadline);

  const unexpected = client.failures().filter(({ operation, id }) => !expectedFailures.includes(`${operation} ${id}`));
  const reported = unexpected.map(({ operation, id, reason }) => `${operation}: ${id} failed: ${reason}`);
  if (!isThorough) return reported;
  return [
    ...reported,
    ...missing().map((one) => `no callback reports ${one}`),
    ...doublesIn(receiver.processed).map((id) => `callback ${id} was processed twice`),
    ...(await sandbox.findDifferences(expectedRecords)),
  ];
}

/** Uses ten operations. Some entries fail downstream on purpose. */
async function work(client) {
  await client.registerUser({
    username: 'm.keller',
    password: 'Secret!1',
    type: 'driver',
    visibleBy: 'HO',
    access: 'DRIVER',
  });
  await client.importJobs([{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }]);
  await client.importJobs([{ id: 'ORD-2' }, { id: 'ORD-3' }, { id: 'FAIL-CAPACITY-1' }]);
  await client.updateJobs([
    { id: 'ORD-2', status: 'DISPATCH' },
    { id: 'FAIL-UPDATE-1', status: 'DISPATCH' },
  ]);
  await client.importRoutes([{ id: 'ROUTE-1', jobs: [{ id: 'ORD-4' }, { id: 'ORD-5' }] }]);
  await client.importOrders([{ id: 'CC-1' }, { id: 'CC-2' }, { id: 'FAIL-ORDER-1' }]);
  await client.updateOrder('CC-2', { status: 'READY' });
  await client.createJob({ id: 'ORD-6', status: 'PENDING', address: { streetAddress: '1 Main St' } });
  await client.updateJob({ id: 'ORD-6', status: 'DELIVERED' });
  await client.submitLocations([at('VAN-1', '09:00'), at('VAN-2', '09:00')]);
  await client.submitLocation(at('VAN-1', '09:05'));
  await client.submitLocation(at('VAN-1', '09:10'));
}

function at(deviceId, time) {
  const geoJson = { type: 'Point', coordinates: [144.96, -37.81] };
  return { deviceId, eventDateTime: `2026-03-02T${time}:00Z`, geoJson };
}

const doublesIn = (ids) => ids.filter((id, n) => ids.indexOf(id) !== n);
