/** The rules that fired on a request, as the journal keeps them: with the number of the request among those of its operation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { parseOptions } from '../../src/config/options.ts';
import { type RunningSandbox, startSandbox } from '../../src/server.ts';

const scenarioYaml = `
name: counted
rules:
  - { name: second, when: { item: 2 }, then: { refuse: no } }
  - { name: all, then: { latency: 0s } }
`;
const data = mkdtempSync(path.join(tmpdir(), 'fired-'));
afterAll(() => rmSync(data, { recursive: true }));

let sandbox: RunningSandbox;
afterEach(() => sandbox.close());

async function start(): Promise<void> {
  const parsed = parseOptions({ port: '0', scenarioYaml, data, clock: 'frozen' }, {});
  if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
  const reportError = (_id: string, error: unknown) => {
    throw error;
  };
  sandbox = await startSandbox(parsed.options, { reportError, warn: () => undefined });
}

async function post(where: string, body: unknown): Promise<void> {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const response = await fetch(sandbox.url + where, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
}

const jobs = (...ids: readonly unknown[]) => post('/async/projects/p/jobs', { jobs: ids.map((id) => ({ id })) });
const orders = () => post('/async/projects/p/orders', { orders: [] });

/** Which rules fired on each request of a project, in short. */
const listFired = (project = 'p') =>
  sandbox.journal
    .list(project)
    .map(({ fired }) => fired.map(({ rule, operation, nth, items }) => [operation, nth, rule, items]));

const importsJobs = 'asyncImportJobs';
const secondOf = (nth: number) => [importsJobs, nth, 'second', [2]];
const allOf = (nth: number, operation = importsJobs) => [operation, nth, 'all', undefined];

test('requests are numbered by operation, without those that rules do not see, also after a restart', async () => {
  await start();
  await jobs('J-1');
  await orders();
  await jobs(7);
  await post('/async/projects/p/jobs', { jobs: 'none' });
  await jobs('J-2', 'J-3');
  expect(listFired()).toEqual([[allOf(1)], [allOf(1, 'asyncImportOrders')], [allOf(2)], [], [secondOf(3), allOf(3)]]);
  await sandbox.close();
  await start();
  await jobs('J-4');
  expect(listFired()).toEqual([[allOf(4)]]);
});

test('a replay gets the same numbers, and a reset starts them again', async () => {
  await start();
  await post('/_sandbox/projects/p/reset', undefined);
  await jobs('J-1');
  await jobs('J-2', 'J-3');
  // A fork at an earlier change is replayed until then.
  await post('/_sandbox/projects/p/fork', { to: 'copy', atChange: 1 });
  await post('/async/projects/copy/jobs', { jobs: [{ id: 'J-2' }, { id: 'J-3' }] });
  expect(listFired()).toEqual([[allOf(1)], [secondOf(2), allOf(2)]]);
  expect(listFired('copy')).toEqual([[secondOf(2), allOf(2)]]);
});
