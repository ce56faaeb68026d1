/** Cases of a sweep: one generated scenario for each kind of failure and occurrence. */
import { describe, expect, it } from 'vitest';
import { operationIds } from '../../src/operations/index.ts';
import { toCases } from '../../src/scenarios/cases.ts';
import { failureKinds } from '../../src/scenarios/failure-kinds.ts';
import { parseScenario } from '../../src/scenarios/parse.ts';

const traits = { byCallback: true, listsFailures: true, statuses: [400, 429, 500, 503] };
const casesOf = (use: object, occurrences = 1, of: object = traits) =>
  toCases(
    'asyncImportJobs',
    { ...traits, ...of },
    { requests: 1, callbacks: 0, callbacksOfProject: 0, clockRate: 1, ...use },
    occurrences,
  );
const idsOf = (use: object, occurrences?: number) =>
  casesOf(use, occurrences).map(({ id }) => id.replace('asyncImportJobs/', ''));
const find = (id: string, use: object = {}, occurrences = 1) =>
  casesOf({ callbacks: 2, callbacksOfProject: 2, ...use }, occurrences).find(
    (one) => one.id === `asyncImportJobs/${id}`,
  );

describe('toCases', () => {
  it('has each kind of the catalog once, except limit, and five outages', () => {
    const kinds = failureKinds(traits).map(({ kind }) => kind);
    const ids = idsOf({ callbacks: 2, callbacksOfProject: 2 });
    expect(ids.filter((id) => id.endsWith('/1'))).toEqual(
      kinds.filter((kind) => kind !== 'limit').map((kind) => `${kind}/1`),
    );
    expect(ids.filter((id) => !id.endsWith('/1'))).toEqual(
      ['status-429', 'status-500', 'status-503', 'connection-reset', 'connection-hang'].map((kind) => `${kind}/always`),
    );
  });

  it('disturbs only callbacks that the client had: order needs two, and a frozen clock has no delay', () => {
    const callbackIds = (use: object) => idsOf(use).filter((id) => id.startsWith('callback-'));
    expect(callbackIds({ callbacks: 0 })).toEqual([]);
    expect(callbackIds({ callbacks: 2, callbacksOfProject: 1 })).not.toContain('callback-order-reverse/1');
    expect(callbackIds({ callbacks: 2, callbacksOfProject: 2 })).toContain('callback-order-reverse/1');
    expect(callbackIds({ callbacks: 2, clockRate: 0 })).not.toContain('callback-delay/1');
    expect(find('callback-delay/1', { clockRate: 60 })?.yaml).toContain('then: { callback: { delay: 120000ms } }');
    expect(find('callback-order-reverse/1', { clockRate: 0 })?.yaml).toContain(
      'then: { callback: { order: reverse } }',
    );
  });

  it('has every kind at its first occurrence before any kind at its second', () => {
    const ids = idsOf({ requests: 3, callbacks: 2, callbacksOfProject: 2 }, 2);
    const occurrences = ids.map((id) => id.split('/')[1]).filter((name) => name !== 'always');
    expect(occurrences).toEqual(occurrences.toSorted());
    expect(new Set(occurrences)).toEqual(new Set(['1', '2']));
    expect(ids).not.toContain('callback-order-reverse/2');
  });

  it.each([
    ['refused/1', 'report'],
    ['status-400/1', 'report'],
    ['status-429/1', 'recovery'],
    ['status-503/1', 'recovery'],
    ['status-503/always', 'report'],
    ['connection-hang-processed/1', 'recovery'],
    ['callback-drop/1', 'report'],
    ['callback-signature-stale/1', 'report'],
    ['callback-copies/1', 'recovery'],
  ])('%s expects a %s', (id, expects) => {
    expect(find(id)?.expects).toBe(expects);
  });

  it('names the request in a scenario for all projects, with a short wait', () => {
    expect(find('status-503/2', { requests: 2 }, 2)?.yaml).toBe(
      `name: asyncimportjobs-status-503-2
description: "asyncImportJobs/status-503/2: the response is 503 (the service is unavailable); the request has no effect."
priority: first
rules:
  - name: status-503
    scope: server
    when: { operation: asyncImportJobs, request: { nth: 2 } }
    then: { respond: { status: 503, headers: { retry-after: "1" } } }
`,
    );
  });

  it('counts in one project if asked, beside the other scenarios of the project', () => {
    const use = { requests: 1, callbacks: 0, callbacksOfProject: 0, clockRate: 1 };
    const [, , status] = toCases('asyncImportJobs', traits, use, 1, 'project');
    expect(status?.yaml).toBe(
      `name: asyncimportjobs-status-400-1
description: "asyncImportJobs/status-400/1: the response is 400 (the request is not valid); the request has no effect."
rules:
  - name: status-400
    when: { operation: asyncImportJobs, request: { nth: 1 } }
    then: { respond: { status: 400 } }
`,
    );
  });

  it('writes scenarios that the parser accepts, even with the longest name', () => {
    const longest = operationIds.toSorted((a, b) => b.length - a.length)[0] ?? '';
    for (const operation of ['asyncImportJobs', longest]) {
      for (const { id, yaml } of toCases(
        operation,
        traits,
        { requests: 2, callbacks: 3, callbacksOfProject: 3, clockRate: 1 },
        2,
      )) {
        expect(parseScenario(yaml, id, operationIds)).toMatchObject({ ok: true });
      }
    }
  });
});
