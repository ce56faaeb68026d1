/** Each kind of failure of the catalogue, met through its scenario, is counted where it belongs and nowhere else. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Operation, operations } from '../../../src/operations/index.ts';
import { failureKinds, isCallbackKind } from '../../../src/scenarios/failure-kinds.ts';
import { isFull } from '../../harness/amounts.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { setEndpoint } from '../callbacks/steps.ts';
import { type Listed, send } from '../scenarios/catalog-steps.ts';
import { type Report, toMet } from './steps.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:00:00Z' });
const receiver = useReceiver();

const statuses = [400, 401, 403, 404, 409, 413, 415, 422, 429, 500];
const kinds = failureKinds({ byCallback: true, listsFailures: true, statuses });

let catalog: readonly Listed[];

beforeAll(async () => {
  catalog = (await sandbox.control('GET', '/catalog')).body.items;
});

/** What a client has met that plays the scenario of this kind, in a project of its own. */
async function play(listed: Listed, kind: string): Promise<readonly string[]> {
  const project = freshProject();
  const yaml = listed.failures.find((one) => one.kind === kind)?.yaml ?? '';
  const stage = { sandbox, receiver, project, listed, way: { requests: 1 } };
  const put = await fetch(`${sandbox.url()}/_sandbox/scenarios/${kind}-${project}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/yaml' },
    body: yaml.replace(`name: ${kind}\n`, `name: ${kind}-${project}\n`),
  });
  expect(put.status).toBe(200);
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [`${kind}-${project}`] });
  await setEndpoint(sandbox, project, { url: receiver.url() });
  const ordered = kind.startsWith('callback-order-');
  for (let n = 0; n < (kind === 'limit' || ordered ? 2 : 1); n += 1) await send(stage, kind);
  if (listed.mode === 'async' && (kind === 'failed-downstream' || kind.startsWith('callback-')))
    await sandbox.advance(project);
  const path = `/projects/${project}/coverage?operation=${listed.operation}`;
  return toMet((await sandbox.control('GET', path)).body as Report);
}

/** What an operation meets that finds no record to change: the first answer of `limit`, and the late one. */
function ofUnknownRecord(kind: string, { operation, mode }: Listed): readonly string[] {
  const { callbackType: tells, collection, listsFailures }: Operation = operations[operation];
  const isUpdate = tells?.endsWith('.update.failed') || operation === 'updateUser';
  if (!isUpdate || mode === 'async' || !(kind === 'limit' || kind === 'latency')) return [];
  return [`${operation} ${collection !== 'users' && listsFailures ? 'failed-downstream' : 'status-404'}`];
}

/** All that is met by whom the scenario of this kind is played to. */
function expected(kind: string, listed: Listed): readonly string[] {
  const { operation, mode } = listed;
  const { callbackType: tells, listsFailures }: Operation = operations[operation];
  if (isCallbackKind({ kind })) {
    const own = [operation, `${tells} ${kind}`];
    return kind === 'callback-drop' ? own : [`${operation} failed-downstream`, ...own];
  }
  const natural = ofUnknownRecord(kind, listed);
  const isUnknown = natural.some((one) => one.endsWith('404'));
  const isLate = kind === 'latency' || kind === 'limit';
  const succeeds = (isLate && !isUnknown) || (listsFailures && (kind === 'refused' || kind === 'failed-downstream'));
  return [
    ...(succeeds ? [operation] : []),
    // A 404 that comes late is a 404, as the catalogue has it.
    ...(kind === 'latency' && isUnknown ? [] : [`${operation} ${kind}`]),
    ...(kind === 'failed-downstream' && mode === 'async' ? [`${tells} delivered`] : []),
    ...natural,
  ];
}

describe('a scenario of the catalogue counts its kind only', () => {
  test.each(kinds.map(({ kind }, turn) => [kind, turn] as const))('%s', async (kind, turn) => {
    const offering = catalog.filter(({ failures }) => failures.some((one) => one.kind === kind));
    expect(offering.length).toBeGreaterThan(0);
    // `npm test` plays each kind to one operation, another one for each kind.
    const played = isFull ? offering : offering.slice(turn % offering.length).slice(0, 1);
    const wanted = played.map((listed) => expected(kind, listed).toSorted());
    const seen = await Promise.all(played.map((listed) => play(listed, kind)));
    expect(seen).toEqual(wanted);
  });
});
