/**
 * The catalogue of failures: what it lists of three operations, and what comes of a request while each of its scenarios is
 * active. `npx vitest run test/flows/scenarios/catalog.test.ts -u` writes catalog.txt; test/transcripts/ has all operations.
 */
import { beforeAll, expect, test } from 'vitest';
import { type Operation, operationIds, operations } from '../../../src/operations/index.ts';
import type { CatalogEntry } from '../../../src/scenarios/catalog.ts';
import { type Received, useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf, verify } from '../callbacks/steps.ts';
import { withProfile } from '../profile-steps.ts';
import { sight } from '../sight.ts';

interface Listed {
  readonly operation: keyof typeof operations;
  readonly method: string;
  readonly path: string;
  readonly mode: 'sync' | 'async';
  readonly failures: readonly CatalogEntry[];
}

const sandbox = useSandbox({ clock: '2026-03-02T09:00:00Z' });
const moved = {
  syncImportOrders: { mode: 'async', path: '/v2/orders/{projectId}' },
  asyncImportJobs: { mode: 'sync' },
} as const;
const other = withProfile({ operations: moved }, { magicIds: 'false' });
const receiver = useReceiver();

/** Operations of which one reports by callback, one lists failures, and one has a single result that can be a duplicate. */
const bodies: Readonly<Record<string, object>> = {
  asyncImportJobs: { jobs: [{ id: 'A' }] },
  syncImportOrders: { orders: [{ id: 'A' }] },
  syncCreateJob: { id: 'A', status: 'PENDING', address: {} },
};

let catalog: readonly Listed[];
beforeAll(async () => {
  catalog = (await sandbox.control('GET', '/catalog')).body.items;
});

/** Sends requests while the scenario of a failure is active. Returns what came of them, of records and of callbacks. */
async function play({ operation, method, path }: Listed, kind: string): Promise<readonly string[]> {
  const project = `${operation.toLowerCase()}-${kind}`;
  expect((await sandbox.control('PUT', `/projects/${project}/scenarios/${project}`)).status).toBe(200);
  await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const url = sandbox.url() + path.replace('{projectId}', project);
  const lines: string[] = [];
  for (const id of /limit|order/.test(kind) ? ['A', 'B'] : ['A']) {
    const body = JSON.stringify(bodies[operation]).replace('"A"', `"${id}"`);
    const { status, connection, text, entry } = await sight(sandbox, project, url, { method, headers, body }, [
      'hang',
      'drip',
    ]);
    const notes = [
      ...(text.includes('"failed":[{') ? ['with a failure'] : []),
      ...(kind === 'latency' && entry.durationMs >= 999 ? ['late'] : []),
    ];
    lines.push([status, connection, ...notes].join(' '));
  }
  await sandbox.advance(project, '59s');
  lines.push(...receiver.take().map(toReceivedLine));
  await sandbox.advance(project);
  lines.push(...receiver.take().map((one) => `after a minute, ${toReceivedLine(one)}`));
  const callbacks = await callbacksOf(sandbox, project);
  const records = await sandbox.items(project, operations[operation].collection);
  return [...lines, ...callbacks.map(({ state }) => `callback ${state}`), ...records.map(({ id }) => `stored: ${id}`)];
}

const toReceivedLine = (one: Received): string =>
  `received: ${/"id":"\w"/.exec(one.body)?.[0]}, ${one.body.endsWith('}') ? 'whole' : 'cut'}, ${verify(one)}`;

test('each scenario of the catalogue does what its failure says', async () => {
  const lines: string[] = [];
  for (const listed of catalog.filter(({ operation }) => operation in bodies)) {
    lines.push(`== ${listed.operation}: ${listed.mode} ${listed.method} ${listed.path}`);
    for (const entry of listed.failures) {
      const ways = Object.values({ magicId: entry.magicId, header: entry.header }).filter((way) => way !== undefined);
      lines.push([entry.kind, ...ways].join(', '), ...(await play(listed, entry.kind)).map((line) => `  ${line}`));
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('catalog.txt');
});

test('lists all operations: callback disturbances only of those with callbacks, and 409 where it is declared', () => {
  expect(catalog.map(({ operation }) => operation)).toEqual(operationIds);
  for (const { operation, failures } of catalog) {
    const { mode }: Operation = operations[operation];
    const names = failures.map(({ kind }) => kind);
    expect(names.filter((name) => name.startsWith('callback-')).length, operation).toBe(mode === 'async' ? 9 : 0);
    expect(names.includes('status-409'), operation).toBe(
      /^(registerUser|syncCreateJob(InSubproject)?)$/.test(operation),
    );
    expect(failures.filter(({ magicId }) => magicId !== undefined).length, operation).toBe(5);
  }
});

test('lists no magic id without them, and the operations of a profile', async () => {
  const { items } = (await other.control('GET', '/catalog')).body as { items: Listed[] };
  expect(items.flatMap(({ failures }) => failures.filter(({ magicId }) => magicId !== undefined))).toEqual([]);
  const find = (id: string) => items.find(({ operation }) => operation === id);
  const hasDrop = (id: string) => find(id)?.failures.some(({ kind }) => kind === 'callback-drop');
  expect(find('syncImportOrders')).toMatchObject(moved.syncImportOrders);
  expect(find('asyncImportJobs')).toMatchObject(moved.asyncImportJobs);
  expect([hasDrop('syncImportOrders'), hasDrop('asyncImportJobs')]).toEqual([true, false]);
  const failure = find('asyncImportJobs')?.failures.find(({ kind }) => kind === 'failed-downstream');
  expect(failure?.about).toContain('in the response');
});
