/**
 * The catalogue of failures keeps its word: each scenario, id and header in it does what it says. Only with `--mode full` for all
 * operations, because `test/transcripts/` has the effects of all of them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Operation, operationIds, operations } from '../../../src/operations/index.ts';
import { failureKinds } from '../../../src/scenarios/failure-kinds.ts';
import { parseScenario } from '../../../src/scenarios/parse.ts';
import { isFull } from '../../harness/amounts.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { callbackKindIsMet, type Listed, responseKindIsMet, type Way } from './catalog-steps.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:00:00Z' });
const receiver = useReceiver();

const statuses = [400, 401, 403, 404, 409, 413, 415, 422, 429, 500];
const kinds = failureKinds({ byCallback: true, listsFailures: true, statuses }).map(({ kind }) => kind);

let catalog: readonly Listed[];

beforeAll(async () => {
  const answer = await sandbox.control('GET', '/catalog');
  expect(answer.status).toBe(200);
  catalog = answer.body.items;
});

/** Operations of which one reports by callback, one lists failures, and one has a single result that can be a duplicate. */
const chosen: readonly string[] = ['asyncImportJobs', 'syncImportOrders', 'syncCreateJob'];

/** Returns the operations for which this way does not lead to the kind. */
async function unmet(kind: string, wayOf: (listed: Listed) => Way | undefined): Promise<readonly string[]> {
  const isMet = kind.startsWith('callback-') ? callbackKindIsMet : responseKindIsMet;
  const offering = catalog.filter((listed) => wayOf(listed) !== undefined);
  const own = offering.filter(({ operation }) => chosen.includes(operation));
  const played = isFull ? offering : own.length > 0 ? own : offering.slice(0, 1);
  const results = await Promise.all(
    played.map(async (listed) => {
      const way = wayOf(listed);
      if (!way) return [];
      const project = freshProject();
      if (way.yaml !== undefined) {
        const parsed = parseScenario(way.yaml, kind);
        expect(parsed.ok ? [] : parsed.issues).toEqual([]);
        const scenarios = parsed.ok ? [parsed.scenario] : [];
        expect((await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios })).status).toBe(200);
      }
      return (await isMet(kind, { sandbox, receiver, project, listed, way })) ? [] : [listed.operation];
    }),
  );
  return results.flat();
}

const entryOf = ({ failures }: Listed, kind: string) => failures.find((one) => one.kind === kind);

test('lists all operations with their failures and triggers', () => {
  expect(catalog.map(({ operation }) => operation)).toEqual(operationIds);
  expect(catalog[2]).toMatchObject({
    operation: 'asyncImportJobs',
    method: 'POST',
    path: '/async/projects/{projectId}/jobs',
    mode: 'async',
  });
  expect(catalog.every(({ failures }) => failures.every(({ kind }) => kinds.includes(kind)))).toBe(true);
});

test('lists callback disturbances only for operations with callbacks, and 409 only where it is declared', () => {
  for (const { operation, failures } of catalog) {
    const { mode }: Operation = operations[operation];
    const names = failures.map(({ kind }) => kind);
    expect(names.filter((name) => name.startsWith('callback-')).length, operation).toBe(mode === 'async' ? 9 : 0);
    expect(names.includes('status-409'), operation).toBe(
      /^(registerUser|syncCreateJob(InSubproject)?)$/.test(operation),
    );
  }
});

describe('a scenario of the catalogue simulates', () => {
  test.each(kinds)('%s', async (kind) => {
    const isOffered = catalog.some((listed) => entryOf(listed, kind) !== undefined);
    expect(isOffered).toBe(true);
    expect(
      await unmet(kind, (listed) => {
        const { yaml } = entryOf(listed, kind) ?? {};
        return yaml === undefined ? undefined : { yaml, requests: 1 };
      }),
    ).toEqual([]);
  });
});

describe('a magic id without a scenario simulates', () => {
  test.each(['refused', 'failed-downstream', 'status-500', 'status-503', 'latency'])('%s', async (kind) => {
    expect(catalog.filter((listed) => entryOf(listed, kind)?.magicId === undefined)).toEqual([]);
    expect(await unmet(kind, (listed) => ({ id: entryOf(listed, kind)?.magicId ?? '', requests: 1 }))).toEqual([]);
  });

  test('no other kind', () => {
    const named = catalog.flatMap(({ failures }) => failures.filter(({ magicId }) => magicId !== undefined));
    expect(new Set(named.map(({ kind }) => kind)).size).toBe(5);
  });
});

describe("a shipped scenario in the request's header simulates", () => {
  const shipped = kinds.filter(
    (kind) =>
      !/^status-(400|403|409|413|415|422|500|504)$|^(connection-(reset|close|truncate|drip)|connection-hang-processed)$/.test(
        kind,
      ) && kind !== 'connection-reset-processed',
  );
  test.each(shipped)('%s', async (kind) => {
    const isOffered = catalog.some((listed) => entryOf(listed, kind)?.header !== undefined);
    expect(isOffered).toBe(true);
    expect(
      await unmet(kind, (listed) => {
        const { header } = entryOf(listed, kind) ?? {};
        const id = kind.startsWith('callback-') ? 'FAIL-1' : undefined;
        return header === undefined
          ? undefined
          : { scenario: header.replace('x-sandbox-scenario: ', ''), requests: 12, ...(id !== undefined && { id }) };
      }),
    ).toEqual([]);
  });

  test('no other kind', () => {
    const named = catalog.flatMap(({ failures }) => failures.filter(({ header }) => header !== undefined));
    expect([...new Set(named.map(({ kind }) => kind))].sort()).toEqual([...shipped].sort());
  });
});

describe('with a profile, and without magic ids', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'catalog-'));
  const profile = path.join(folder, 'profile.yaml');
  const moved =
    '{ syncImportOrders: { mode: async, path: "/v2/orders/{projectId}" }, asyncImportJobs: { mode: sync } }';
  writeFileSync(profile, `operations: ${moved}\n`);
  afterAll(() => rmSync(folder, { recursive: true }));
  const other = useSandbox({ magicIds: 'false', profile });

  test('lists no magic id, and the operations of the profile', async () => {
    const { items } = (await other.control('GET', '/catalog')).body as { items: Listed[] };
    expect(items.flatMap(({ failures }) => failures.filter(({ magicId }) => magicId !== undefined))).toEqual([]);
    const [orders, jobs] = ['syncImportOrders', 'asyncImportJobs'].map((id) =>
      items.find((one) => one.operation === id),
    );
    expect(orders).toMatchObject({ mode: 'async', path: '/v2/orders/{projectId}' });
    expect(orders?.failures.some(({ kind }) => kind === 'callback-drop')).toBe(true);
    expect(jobs).toMatchObject({ mode: 'sync' });
    expect(jobs?.failures.some(({ kind }) => kind === 'callback-drop')).toBe(false);
    expect(jobs?.failures.find(({ kind }) => kind === 'failed-downstream')?.about).toContain('in the response');
  });
});
