/** Clients that set things for as long as there is a server: clocks, scenarios, a fresh start; then they look. */
import { expect } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { listAll, type Site, tryAsk, untilGone, type Worker } from './importers.ts';

/** Has a clock that stands, and moves it: what is due by then has happened, what is not is still due. */
export function createClockMover({ project, name, dice, noteId }: Site, told: ReadonlyMap<string, unknown>): Worker {
  const control = (url: string): string => `${url}/_sandbox/projects/${project}`;
  const accepted = new Set<string>();
  let made = 0;
  let answers = 0;
  let shownMs = 0;
  let askedMs = 0;

  async function step(url: string): Promise<boolean> {
    const id = `${dice.often(30) ? 'FAIL-' : ''}${name}-${made++}`;
    const answer = await tryAsk(`${url}/async/projects/${project}/jobs`, 'POST', { jobs: [{ id }] });
    if (!answer) return false;
    expect(answer.status).toBe(202);
    noteId(answer.id);
    accepted.add(id);
    answers += 1;
    const by = 50 * (1 + dice.below(10));
    askedMs = shownMs + by;
    const moved = await tryAsk(`${control(url)}/clock/advance`, 'POST', { by: `${by}ms` });
    if (!moved) return false;
    expect(moved.status).toBe(200);
    shownMs = Date.parse(moved.body.now);
    answers += 1;
    return true;
  }

  async function checkDone(url: string): Promise<void> {
    const there = await listAll(url, project, 'jobs');
    const isTold = (id: string): boolean => (id.startsWith('FAIL-') ? told.has(id) : there.has(id));
    expect(
      [...accepted].filter((id) => !isTold(id)),
      'what is not due any more',
    ).toEqual([]);
  }

  return {
    begin: async (url) => {
      const { body } = await ask(`${control(url)}/clock`, 'PUT', { mode: 'frozen' });
      shownMs = Date.parse(body.now);
      askedMs = shownMs;
    },
    work: (url) => untilGone(() => step(url)),
    check: async (url) => {
      const { body } = await ask(`${control(url)}/clock`, 'GET');
      expect(body.mode).toBe('frozen');
      shownMs = Math.max(shownMs, Date.parse(body.now));
      expect(Date.parse(body.now)).toBe(shownMs);
      expect(shownMs).toBeLessThanOrEqual(askedMs);
      // All that was accepted is due now, and happens: what was lost would be missing.
      const { body: idle } = await ask(`${control(url)}/clock/advance`, 'POST', { until: 'idle' });
      expect(idle.pending).toBe(0);
      shownMs = Date.parse(idle.now);
      askedMs = shownMs;
      await checkDone(url);
    },
    answers: () => answers,
  };
}

/** Switches scenarios on, one in place of another, and is counted by them. */
export function createScenarioSetter({ project, name, dice, noteId }: Site): Worker {
  const control = (url: string): string => `${url}/_sandbox/projects/${project}`;
  let number = 0;
  let known = 0;
  let asked = 0;
  let refusals = 0;
  let counted = 0;
  let answers = 0;

  const scenario = (): unknown => ({
    name: `s-${number}`,
    rules: [{ name: 'first ones', times: 3, then: { respond: { status: 503 } } }],
    expect: [{ requests: { operation: 'syncImportOrders', min: 1 } }],
  });

  async function put(url: string): Promise<boolean> {
    number += 1;
    const told = await tryAsk(`${control(url)}/scenarios`, 'PUT', { scenarios: [scenario()] });
    if (!told) return false;
    expect(told.status).toBe(200);
    known = number;
    [asked, refusals, counted] = [0, 0, 0];
    return true;
  }

  async function step(url: string): Promise<boolean> {
    answers += 1;
    if (known === 0 || dice.often(15)) return put(url);
    asked += 1;
    const orders = [{ id: `${name}-${number}-${asked}` }];
    const told = await tryAsk(`${url}/sync/projects/${project}/orders`, 'POST', { orders });
    if (!told) return false;
    noteId(told.id);
    expect([200, 503]).toContain(told.status);
    refusals += told.status === 503 ? 1 : 0;
    counted += 1;
    return true;
  }

  return {
    work: (url) => untilGone(() => step(url)),
    check: async (url) => {
      if (known === 0) return;
      const { body } = await ask(`${control(url)}/scenarios`, 'GET');
      const [active] = body.scenarios as readonly string[];
      expect([`s-${known}`, `s-${number}`]).toContain(active);
      if (active !== `s-${known}`) {
        // It was switched on, and nobody was told any more.
        [known, asked, refusals, counted] = [number, 0, 0, 0];
      }
      number = known;
      const { items } = (await ask(`${control(url)}/expectations`, 'GET')).body;
      expect(items[0].count, 'requests counted').toBeGreaterThanOrEqual(counted);
      expect(items[0].count).toBeLessThanOrEqual(asked);
      // Of those that nobody was told of it is known that they were counted.
      [counted, asked] = [items[0].count, items[0].count];
      const { acted } = body.rules[0];
      expect(acted, 'how often the rule acted').toBe(Math.min(3, counted));
      expect(refusals).toBeLessThanOrEqual(acted);
      refusals = acted;
    },
    answers: () => answers,
  };
}

/** Imports, and begins anew: what was before a reset never comes back, but for ids of requests, which begin anew. */
export function createResetter({ project, name, dice }: Site): Worker {
  const stored = new Set<string>();
  const gone = new Set<string>();
  let made = 0;
  let isResetting = false;

  async function reset(url: string): Promise<boolean> {
    isResetting = true;
    const told = await tryAsk(`${url}/_sandbox/projects/${project}/reset`, 'POST');
    if (!told) return false;
    expect(told.status).toBe(200);
    isResetting = false;
    for (const id of stored) gone.add(id);
    stored.clear();
    return true;
  }

  async function step(url: string): Promise<boolean> {
    if (dice.often(20)) return reset(url);
    const id = `${name}-${made++}`;
    const told = await tryAsk(`${url}/sync/projects/${project}/jobs/batch`, 'POST', { jobs: [{ id }] });
    if (!told) return false;
    expect(told.status).toBe(200);
    stored.add(id);
    return true;
  }

  return {
    work: (url) => untilGone(() => step(url)),
    check: async (url) => {
      const there = await listAll(url, project, 'jobs');
      expect(
        [...gone].filter((id) => there.has(id)),
        'what was before a reset',
      ).toEqual([]);
      const kept = [...stored].filter((id) => there.has(id));
      // A reset that nobody was told of has taken all or nothing.
      if (!(isResetting && kept.length === 0)) expect(kept).toEqual([...stored]);
      for (const id of stored) if (!there.has(id)) gone.add(id);
      stored.clear();
      for (const id of there.keys()) stored.add(id);
      isResetting = false;
    },
    answers: () => gone.size + stored.size,
  };
}
