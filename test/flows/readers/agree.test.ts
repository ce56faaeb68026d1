/** After a story with a request of every outcome, everything that shows requests and callbacks says the same of them. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readEvents, type SeenEvent } from '../../harness/event-reader.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import {
  type CallbackFacts,
  callbackReaders,
  countBy,
  fromCallback,
  fromEntry,
  fromEvent,
  fromHar,
  fromRecording,
  projectReaders,
  type RequestFacts,
  requestReaders,
  toSeries,
} from './readers.ts';
import { control, gone, main, play, type Story } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:00:00.000Z', apiKeys: ['sandbox-key', 'other-key=other'] });
const receiver = useReceiver();
const get = (path: string) => control(sandbox.url(), 'GET', path);

let story: Story;
let events: readonly SeenEvent[];
/** What the journal says at the end. */
let kept: readonly RequestFacts[];
/** Also the requests of the project that was reset. */
let all: readonly RequestFacts[];
let callbacks: readonly CallbackFacts[];
/** What the receiver received: the ids of callbacks. */
let received: readonly string[];

beforeAll(async () => {
  const stream = await readEvents(`${sandbox.url()}/_sandbox/events`);
  story = await play({ url: sandbox.url(), receiver });
  received = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  const { items } = await get('/requests?limit=1000');
  const rows = (await get('/requests?limit=1000&view=rows')).items;
  // Only rows have the ids and the number of accepted entries.
  kept = items.map((entry: object, n: number) => {
    const { ids, entries } = rows[n];
    return { ...fromEntry(entry), ids, accepted: entries.accepted };
  });
  // Ids and accepted entries of the project that was reset are in no list any more.
  const before = story.before.map((entry) => ({
    ...fromEntry(entry),
    ids: ['A', 'FAIL-7'],
    accepted: 2,
  })) as RequestFacts[];
  const lost = before.filter(({ project }) => project === gone);
  all = [...kept.slice(0, before.length - lost.length), ...lost, ...kept.slice(before.length - lost.length)];
  callbacks = (await get(`/projects/${main}/callbacks`)).items.map(fromCallback);
  await control(sandbox.url(), 'PUT', `/projects/${main}/callback-endpoint`, { url: receiver.url(), disabled: true });
  events = await takeUntil(stream, ({ data }, seen) => data['what'] === 'callback-endpoint' && seen.length > 10);
  stream.leave();
  // As long as a test may take.
}, 30_000);

/** Takes events until one that comes after all others. */
async function takeUntil(
  stream: Awaited<ReturnType<typeof readEvents>>,
  isLast: (event: SeenEvent, seen: readonly SeenEvent[]) => boolean,
): Promise<readonly SeenEvent[]> {
  const seen: SeenEvent[] = [];
  for (;;) {
    const [event] = await stream.take(1);
    if (!event || isLast(event, seen)) return seen;
    seen.push(event);
  }
}

/** Returns of each row the facts that the reader has, which must be the same in each of its rows. */
function only<Facts extends object>(rows: readonly Facts[], read: readonly Partial<Facts>[]): readonly object[] {
  const names = Object.keys(read[0] ?? {}) as (keyof Facts)[];
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
}

function expectSame<Facts extends object>(read: readonly Partial<Facts>[], rows: readonly Facts[]): void {
  expect(rows.length).toBeGreaterThan(0);
  expect(read).toEqual(only(rows, read));
}

const ofMain = (): readonly RequestFacts[] => kept.filter(({ project }) => project === main);
const changes = (rows: readonly RequestFacts[]): readonly RequestFacts[] =>
  rows.filter(({ change }) => change !== null).toSorted((a, b) => Number(a.change) - Number(b.change));

describe('requests', () => {
  test('are those that the client has sent', () => {
    const seen = all.filter(({ rules }) => !rules.includes('story/slow'));
    expect(seen.map(({ status }) => status)).toEqual(story.told.map(({ status }) => status));
    for (const [n, { id, status, body }] of [...story.told, story.slow].entries()) {
      const row = n < seen.length ? seen[n] : all.find(({ rules }) => rules.includes('story/slow'));
      if (status > 0) expect({ id, status }).toEqual({ id: row?.id, status: row?.status });
      if (row?.fault !== 'truncate') expect(body).toBe(row?.answer);
    }
  });

  test.each(Object.keys(requestReaders))('of all projects: %s', async (name) => {
    expectSame((await requestReaders[name]?.(sandbox.url())) ?? [], kept);
  });

  test.each(Object.keys(projectReaders))('of the project: %s', async (name) => {
    vi.stubEnv('SANDBOX_URL', sandbox.url());
    expectSame((await projectReaders[name]?.(sandbox.url())) ?? [], ofMain());
  });

  test('in the HTTP archive', async () => {
    // An archive is the traffic of the project itself: it has no requests that only name it, whatever `strays` says.
    const { log } = await get(`/projects/${main}/requests?format=har`);
    expectSame(
      log.entries.map(fromHar),
      ofMain().filter(({ change }) => change !== null),
    );
  });

  test('one by one', async () => {
    const entries = await Promise.all(kept.map(({ id }) => get(`/requests/${id}`)));
    expectSame(entries.map(fromEntry), kept);
  });

  test('in the recording', async () => {
    expectSame(fromRecording(await get(`/projects/${main}/recording`)).requests, changes(ofMain()));
  });

  test('in events', () => {
    // An event has what the response accepted, and lists have what has not failed since.
    const known = all.map((row) => ({ ...row, accepted: row.accepted + row.failed }));
    expectSame(events.filter(({ kind }) => kind === 'request').map(fromEvent), known);
  });

  test('in the counts of a list, and in its filters', async () => {
    const { counts } = await get('/requests?limit=1&counts=true');
    expect(counts).toMatchObject({
      total: kept.length,
      operation: countBy(kept, ({ operation }) => operation ?? 'none'),
      status: countBy(kept, ({ status }) => (status === 0 ? '0' : `${String(status)[0]}xx`)),
      scenario: countBy(kept, ({ scenarios }) => scenarios),
    });
    for (const group of ['operation', 'status', 'outcome', 'scenario'])
      for (const [value, count] of Object.entries(counts[group])) {
        const { items } = await get(`/requests?limit=1000&bodies=false&${group}=${value}`);
        const ids = new Set(items.map(({ id }: RequestFacts) => id));
        expect([group, value, ids.size]).toEqual([group, value, count]);
        expect(items.map(({ id }: RequestFacts) => id)).toEqual(
          kept.filter(({ id }) => ids.has(id)).map(({ id }) => id),
        );
      }
  });

  test('in metrics', async () => {
    // A request that a reset overtakes is in no journal, so it is not counted, although its client got a response.
    expect(toSeries(await get('/metrics'), 'sandbox_requests_total')).toEqual(
      countBy(all, ({ operation, status }) => `${operation ?? 'none'} ${status}`),
    );
  });

  test('in coverage', async () => {
    const calls = (report: { items: readonly { operation: string; calls: number }[] }) =>
      Object.fromEntries(report.items.flatMap(({ operation, calls }) => (calls ? [[operation, calls]] : [])));
    const known = (rows: readonly RequestFacts[]) => countBy(rows, ({ operation }) => operation ?? []);
    const report = await get('/coverage');
    // Coverage, unlike metrics, counts a request whose delayed response a reset overtakes: it met the delay.
    const delayed = { operation: 'syncCreateJobs', status: 200, fault: null, rules: ['story/endless'] } as const;
    expect(calls(report)).toEqual(known([...all, delayed as unknown as RequestFacts]));
    const project = await get(`/projects/${main}/coverage`);
    expect(calls(project)).toEqual(known(changes(ofMain())));
    expect(toFailures(project)).toEqual(countBy(changes(ofMain()), toKind));
  });

  test('in the project, its expectations and the search', async () => {
    const { counts } = await get(`/projects/${main}`);
    expect(counts).toMatchObject({ requests: changes(ofMain()).length, callbacks: callbacks.length });
    const { items } = await get(`/projects/${main}/expectations`);
    expect(items).toMatchObject([{ count: changes(ofMain()).length }, { count: callbacks.length }]);
    const found = async (q: string) => (await get(`/search?q=${q}&limit=100`)).items;
    const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted();
    expect(idsOf(await found('req_'))).toEqual(idsOf(kept));
    expect(idsOf(await found('msg_'))).toEqual(idsOf(callbacks));
    for (const id of story.ids) expect(await found(id), id).toContainEqual(expect.objectContaining({ id }));
  });

  test('in the timeline of each id', async () => {
    for (const id of story.ids) {
      const timeline = (await get(`/projects/${main}/entities/${id}?limit=1000`)).items;
      const ofKind = (kind: string) => timeline.filter((item: { kind: string }) => item.kind === kind);
      const named = changes(ofMain()).filter(({ ids }) => ids.includes(id));
      const listed = callbacks.filter(({ ids }) => ids.includes(id));
      expect(ofKind('request'), id).toMatchObject(
        named.map(({ id: requestId, operation, change, status }) => ({ requestId, operation, change, status })),
      );
      expect(ofKind('callback'), id).toMatchObject(
        listed.map(({ id: callbackId, requestId, operation, state }) => ({ callbackId, requestId, operation, state })),
      );
      expect(named.length, id).toBeGreaterThan(0);
      const attempts = ofKind('attempt').map(({ callbackId, status, reason }: Record<string, unknown>) => [
        callbackId,
        reason ?? status ?? 'inbox',
      ]);
      expect(attempts, id).toEqual(listed.flatMap((one) => one.attempts.map((attempt) => [one.id, attempt])));
    }
  });
});

/** Numbers of failures that name a status or a fault of the connection, by operation and kind. */
function toFailures({ items }: { items: readonly { operation: string; failures: readonly Failure[] }[] }): object {
  const names = items.flatMap(({ operation, failures }) =>
    failures.flatMap(({ kind, count }) =>
      /^(status|connection|limit|latency)/.test(kind) ? Array(count).fill(`${operation} ${kind}`) : [],
    ),
  );
  return countBy(names, (name: string) => name);
}

interface Failure {
  readonly kind: string;
  readonly count: number;
}

/** The kind of failure that a request met, as its rules, fault and status say. */
function toKind({ operation, status, fault, rules }: RequestFacts): readonly string[] {
  const processed = rules.some((rule) => rule.endsWith('-processed') || rule === 'story/late') ? '-processed' : '';
  const rule = ['limit', 'latency'].find((name) => rules.includes(name === 'limit' ? 'story/limit' : 'story/slow'));
  const kind = fault ? `connection-${fault}${processed}` : rule;
  const known = kind ?? (status >= 400 ? `status-${status}${processed}` : undefined);
  return known === undefined ? [] : [`${operation} ${known}`];
}

describe('callbacks', () => {
  test.each(Object.keys(callbackReaders))('%s', async (name) => {
    vi.stubEnv('SANDBOX_URL', sandbox.url());
    expectSame((await callbackReaders[name]?.(sandbox.url())) ?? [], callbacks);
  });

  test('by request', () => {
    expect(callbacks.length).toBeGreaterThan(0);
    const ofRequests = ofMain().flatMap(({ id, callbacks: ids }) => ids.map((one) => [id, one]));
    expect(ofRequests.toSorted()).toEqual(callbacks.map(({ id, requestId }) => [requestId, id]).toSorted());
  });

  test('in events: each once when it was made, and after each attempt', () => {
    const told = events.filter(({ kind }) => kind === 'callback').map(({ data }) => data);
    const first = told.filter((one, n) => told.findIndex(({ id }) => id === one['id']) === n);
    expect(first.map(({ id }) => id)).toEqual(callbacks.map(({ id }) => id));
    for (const { id, type, state, requestId, attempts } of callbacks) {
      const own = told.filter((one) => one['id'] === id);
      expect(own.map((one) => one['attempts'])).toEqual([0, ...attempts.map((_, n) => n + 1)]);
      expect(own.at(-1)).toMatchObject({ type, state, requestId, failed: 1 });
    }
  });

  test('at the receiver, in the log of advances, and in metrics', async () => {
    const sent = callbacks.flatMap(({ id, attempts }) => attempts.filter((one) => one !== 'inbox').map(() => id));
    expect(received.toSorted()).toEqual(sent.toSorted());
    const advances = (await get(`/projects/${main}/clock/advances`)).items.toReversed();
    const work = advances.flatMap((advance: { work: readonly Record<string, string>[] }) => advance.work);
    const delivered = work.filter((one: { kind: string }) => one.kind === 'callback');
    const known = new Map(callbacks.map((one) => [one.id, one]));
    expect(delivered.length).toBe(callbacks.flatMap(({ attempts }) => attempts).length - 1); // One is redelivered.
    const toSent = ({ callbackId, status }: { callbackId: string; status?: number }) => (status ? [callbackId] : []);
    const redelivered = received.lastIndexOf(callbacks[0]?.id ?? '');
    expect(delivered.flatMap(toSent)).toEqual(received.filter((_, n) => n !== redelivered));
    for (const { callbackId, requestId } of delivered) expect(requestId).toBe(known.get(callbackId)?.requestId);
    const metrics = await get('/metrics');
    const outcomeOf = (attempt: number | string) =>
      attempt === 'inbox' ? 'inbox' : Number(attempt) < 300 ? 'delivered' : 'refused';
    const outcomes = countBy(callbacks, ({ attempts }) => attempts.map(outcomeOf));
    expect(toSeries(metrics, 'sandbox_callback_attempts_total')).toEqual(outcomes);
    expect(toSeries(metrics, 'sandbox_callbacks')).toEqual(countBy(callbacks, ({ state }) => state));
    const { counts } = await get(`/projects/${main}/callbacks?counts=true`);
    expect(counts).toEqual({
      total: callbacks.length,
      state: countBy(callbacks, ({ state }) => state),
      type: countBy(callbacks, ({ type }) => type),
      operation: countBy(callbacks, ({ operation }) => operation),
    });
  });

  test('in coverage', async () => {
    const { callbackItems } = await get('/coverage');
    const met = callbackItems.map(({ type, conditions }: { type: string; conditions: readonly Failure[] }) => [
      type,
      conditions.reduce((sum, { count }) => sum + count, 0),
    ]);
    // The inbox is no receiver. A redelivery, and the copy of a callback, meet nothing new.
    const counted = callbacks.filter(({ state }) => state !== 'inbox');
    expect(Object.fromEntries(met.filter(([, count]: [string, number]) => count > 0))).toEqual(
      countBy(counted, ({ type }) => type),
    );
  });
});
