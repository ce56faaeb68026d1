/** Ends a life of a project: after all callbacks arrived and were checked, or by a reset in the middle. */
import { setTimeout as pass } from 'node:timers/promises';
import type { Dice } from '../model/dice.ts';
import { headers } from '../model/mistakes.ts';
import type { Client } from './client.ts';
import type { Findings } from './findings.ts';
import type { Life } from './life.ts';
import { readArrival } from './receiver.ts';
import { nothing } from './step.ts';

interface Parts {
  readonly client: Client;
  readonly findings: Findings;
  readonly dice: Dice;
}

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly body: object;
  readonly attempts: readonly { readonly at: string }[];
}

/** The maximum time until all callbacks have arrived. The longest wait is a retry after 5 s. */
const maxMs = 20_000;
const everyMs = 100;

/** Waits for all callbacks, compares them with the ledger, and resets the project, which must cancel nothing. */
export async function endInPeace(parts: Parts, life: Life): Promise<void> {
  const { client, findings } = parts;
  if (life.isFrozen) await advanceUntilIdle(parts, life);
  else await settle(parts, life);
  const listed = await listCallbacks(parts, life);
  if (!life.story.hasEndpoint)
    for (const { id, body } of listed) life.ledger.received(readArrival(id, JSON.stringify(body)), false);
  const again = listed.find(({ state }) => state === 'delivered');
  if (again && parts.dice.often(30)) await redeliver(parts, life, again.id);
  life.ledger.close();
  audit(parts, life, await listCallbacks(parts, life));
  const reset = await client.control<{ cancelled: object }>('POST', `/projects/${life.project}/reset`);
  const cancelled = JSON.stringify(reset?.cancelled);
  if (cancelled !== '{"instructions":0,"callbacks":0}')
    findings.found('idle', () => `${life.key}: a reset at the end cancelled ${cancelled}`);
  life.endedAt = performance.now();
}

/** Resets a project in the middle of imports that fail, and again after their responses. */
export async function cutOff({ client }: Parts, life: Life): Promise<void> {
  const { project } = life;
  const body = JSON.stringify({ jobs: [{ id: life.nextId('FAIL') }, { id: life.nextId('FAIL') }] });
  const step = { kind: 'import during a reset', method: 'POST', path: `/async/projects/${project}/jobs`, headers };
  // Their callbacks belong to a life that has ended, or to the inbox of the next.
  const expected = { status: 202, callbacks: [] };
  const imports = [1, 2, 3].map(() => ({ ...step, body, expected, onApplied: nothing }));
  const sending = imports.map((one) => client.send(life, one));
  const resetting = client.control('POST', `/projects/${project}/reset`).then(() => {
    life.endedAt = performance.now();
  });
  await Promise.all([resetting, ...sending]);
  await client.control('POST', `/projects/${project}/reset`);
}

/** Advances a frozen clock until nothing is pending. All callbacks must have arrived before the response. */
export async function advanceUntilIdle({ client, findings }: Parts, life: Life): Promise<void> {
  const path = `/projects/${life.project}/clock/advance`;
  const advanced = await client.control<{ pending: number }>('POST', path, { until: 'idle' });
  const outstanding = life.story.hasEndpoint ? life.ledger.outstanding() : 0;
  if (advanced?.pending !== 0 || outstanding > 0)
    findings.found('idle', () => `${life.key}: ${advanced?.pending} pending, ${outstanding} callbacks did not arrive`);
}

async function settle({ client }: Parts, life: Life): Promise<void> {
  const until = performance.now() + maxMs;
  while (performance.now() < until) {
    await pass(everyMs);
    if (life.story.hasEndpoint && life.ledger.outstanding() > 0) continue;
    const clock = await client.control<{ pending: number }>('GET', `/projects/${life.project}/clock`);
    if (clock?.pending === 0) return;
  }
}

async function redeliver({ client }: Parts, life: Life, id: string): Promise<void> {
  life.ledger.again(id);
  // The receiver accepted it before, so it accepts it again.
  await client.control('POST', `/projects/${life.project}/callbacks/${id}/redeliver`);
}

async function listCallbacks({ client }: Parts, { project }: Life): Promise<readonly Shown[]> {
  const all: Shown[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/projects/${project}/callbacks?limit=1000${after}`;
    const page = await client.control<{ items: readonly Shown[]; next?: string }>('GET', path);
    all.push(...(page?.items ?? []));
    cursor = page?.next ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** Compares the server's list with the received callbacks: the number of attempts, and their times in order of arrival. */
function audit({ findings }: Parts, life: Life, listed: readonly Shown[]): void {
  const { arrivals, timesOf } = life.ledger.account();
  const byId = new Map(listed.map((one) => [one.id, one]));
  const wanted = life.story.hasEndpoint ? 'delivered' : 'inbox';
  const lost = listed.filter(({ state }) => state === 'dropped').length;
  if (lost !== life.ledger.dropped())
    findings.found('records', () => `${life.key}: expected ${life.ledger.dropped()} dropped, got ${lost}`);
  for (const { id, state, attempts } of listed) {
    const isDropped = state === 'dropped';
    if ((!isDropped && state !== wanted) || attempts.length !== timesOf(id))
      findings.found(
        'records',
        () => `${life.key} ${id}: ${state}, ${attempts.length} attempts, received ${timesOf(id)}`,
      );
  }
  let latest = '';
  const seen = new Map<string, number>();
  for (const id of arrivals) {
    const nth = seen.get(id) ?? 0;
    seen.set(id, nth + 1);
    const at = byId.get(id)?.attempts[nth]?.at ?? '';
    if (at < latest) findings.found('clock', () => `${life.key} ${id}: attempted at "${at}", after one at ${latest}`);
    latest = at;
  }
}
