/** The scenario of a request lets the next requests meet what that one met, and has no secrets. */
import { beforeEach, describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
let project = '';

beforeEach(async () => {
  project = freshProject();
  await sandbox.freeze(project);
});

interface Met {
  readonly status: number;
  readonly body: unknown;
  readonly entries: unknown;
  /** State, reasons, and time from the request to the callback. */
  readonly callbacks: readonly unknown[];
}

async function send(list: string, body: object): Promise<{ readonly id: string; readonly met: Met }> {
  const { headers } = await fetch(`${sandbox.url()}/async/projects/${project}/${list}`, {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await sandbox.advance(project);
  const id = headers.get('x-request-id') ?? '';
  const { request, callbacks } = await details(id);
  return {
    id,
    met: {
      status: request.status,
      body: request.response.body?.replaceAll(id, 'ID').replaceAll(/TRK-\w+/g, 'TRK'),
      entries: request.entries,
      callbacks: callbacks.map(({ state, body: { timestamp, data } }) => [
        state,
        data.failed,
        Date.parse(timestamp) - Date.parse(request.at),
      ]),
    },
  };
}

async function details(id: string) {
  const { body: request } = await sandbox.control('GET', `/requests/${id}`);
  const callbacks = await Promise.all(
    request.callbacks.map(
      async (one: string) => (await sandbox.control('GET', `/projects/${project}/callbacks/${one}`)).body,
    ),
  );
  return { request, callbacks };
}

async function scenarioOf(id: string): Promise<string> {
  const { status, headers, text } = await sandbox.control('GET', `/projects/${project}/requests/${id}/scenario`);
  expect([status, headers['content-type']]).toEqual([200, 'application/yaml; charset=utf-8']);
  return text;
}

/** Activates the scenarios, sends a request, and sends it again with only the scenario that was created from it. */
async function repeat(scenarios: readonly unknown[], list: string, body: object): Promise<Met> {
  const put = (all: readonly unknown[]) => sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: all });
  expect((await put(scenarios)).status).toBe(200);
  const first = await send(list, body);
  const text = await scenarioOf(first.id);
  expect(text).toContain(`Repeats the failures of request ${first.id}.`);
  const name = /^name: (.*)$/m.exec(text)?.[1] ?? '';
  const saved = await sandbox.control('PUT', `/scenarios/${name}`, text, { 'content-type': 'application/yaml' });
  expect([text, saved.status]).toEqual([text, 200]);
  // The records of the first requests exist already.
  project = freshProject();
  await sandbox.freeze(project);
  await put([name]);
  const again = await send(list, body);
  expect(again.met).toEqual(first.met);
  return first.met;
}

const rule = (when: object, then: object) => ({ name: 'given', rules: [{ when, then }] });
const jobs = { jobs: [{ id: 'A-1' }, { id: 'A-2' }, { id: 'A-3' }] };

describe('the next request meets', () => {
  test('the downstream failures, with their reasons and times', async () => {
    const rules = [
      { when: { item: [1, 3] }, then: { fail: 'No such street', after: '2s' } },
      { when: { item: 2 }, then: { fail: 'No "driver": left', after: '1500ms' } },
    ];
    const met = await repeat([{ name: 'given', rules }], 'jobs', jobs);
    expect(met.callbacks).toHaveLength(2);
    expect(met.status).toBe(202);
  });

  test('the rejected entries', async () => {
    const met = await repeat([rule({ item: 3 }, { refuse: 'Outside the area' })], 'jobs', jobs);
    expect(met.entries).toMatchObject({ refused: 1 });
  });

  test('a dropped callback', async () => {
    const then = { fail: 'Lost', callback: { drop: true } };
    const met = await repeat([rule({ item: 2 }, then)], 'jobs', jobs);
    expect(met.callbacks).toMatchObject([['dropped', [{ id: 'A-2', reason: 'Lost' }], 200]]);
  });

  test('the response of a failed request', async () => {
    const then = { respond: { status: 503, headers: { 'retry-after': '7' }, body: { message: 'Back soon: later' } } };
    expect((await repeat([rule({}, then)], 'jobs', jobs)).status).toBe(503);
  });

  test('failures of the jobs of routes', async () => {
    const routes = [
      { id: 'R-1', jobs: [{ id: 'J-1' }] },
      { id: 'R-2', jobs: [{ id: 'J-2' }, { id: 'J-3' }] },
    ];
    const given = rule({ item: 3 }, { fail: 'Too far' });
    const met = await repeat([given], 'routes', { routes });
    expect(met.callbacks).toHaveLength(1);
  });
});
