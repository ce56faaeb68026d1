/** Clients that set things: scenarios, a fresh start; then they look. */
import { expect } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import type { Client, Site } from '../rig/clients.ts';
import { listJobs } from '../rig/list-jobs.ts';
import type { Send } from '../rig/send.ts';

type OwnSite = Pick<Site, 'project' | 'name' | 'dice'>;

/** Switches scenarios on, one in place of another, and is counted by them. */
export function createScenarioSetter({ project, name, dice }: OwnSite): Client {
  const control = `/_sandbox/projects/${project}`;
  let number = 0;
  let known = 0;
  let asked = 0;
  let refusals = 0;
  let counted = 0;

  const scenario = (): unknown => ({
    name: `s-${number}`,
    rules: [{ name: 'first ones', times: 3, then: { respond: { status: 503 } } }],
    expect: [{ requests: { operation: 'syncImportOrders', min: 1 } }],
  });

  async function put(send: Send): Promise<void> {
    number += 1;
    const { fate } = await send('PUT', `${control}/scenarios`, { scenarios: [scenario()] });
    if (fate !== 'stored') return;
    known = number;
    [asked, refusals, counted] = [0, 0, 0];
  }

  return {
    step: async (send) => {
      if (known === 0 || dice.often(15)) return put(send);
      asked += 1;
      const orders = [{ id: `${name}-${number}-${asked}` }];
      const answer = await send('POST', `/sync/projects/${project}/orders`, { orders }, { expected: [503] });
      if (answer.status === undefined) return;
      refusals += answer.status === 503 ? 1 : 0;
      counted += 1;
    },
    check: async (_send, url) => {
      if (known === 0) return;
      const { body } = await ask(`${url}${control}/scenarios`, 'GET');
      const [active] = body.scenarios as readonly string[];
      expect([`s-${known}`, `s-${number}`]).toContain(active);
      if (active !== `s-${known}`) {
        // It was switched on, and nobody was told any more.
        [known, asked, refusals, counted] = [number, 0, 0, 0];
      }
      number = known;
      const { items } = (await ask(`${url}${control}/expectations`, 'GET')).body;
      expect(items[0].count, 'requests counted').toBeGreaterThanOrEqual(counted);
      expect(items[0].count).toBeLessThanOrEqual(asked);
      // Of those that nobody was told of it is known that they were counted.
      [counted, asked] = [items[0].count, items[0].count];
      const { acted } = body.rules[0];
      expect(acted, 'how often the rule acted').toBe(Math.min(3, counted));
      expect(refusals).toBeLessThanOrEqual(acted);
      refusals = acted;
    },
  };
}

/** What a client that resets its project was answered: jobs that are stored, and jobs that a reset removed. */
export interface Books {
  readonly stored: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
  /** A reset is asked for and not answered yet: it may have taken effect, and removed all that is stored. */
  readonly isResetting: boolean;
}

/** Checks that a project has what the books say, and returns its jobs. */
export async function expectBooks(url: string, project: string, books: Books): Promise<ReadonlySet<string>> {
  const { stored, gone, isResetting } = books;
  const there = new Set((await listJobs(url, project)).keys());
  expect(
    [...gone].filter((id) => there.has(id)),
    'what was before a reset',
  ).toEqual([]);
  const missing = [...stored].filter((id) => !there.has(id));
  // A reset that nobody was told of has taken all or nothing.
  expect(missing).toEqual(isResetting && missing.length > 0 ? [...stored] : []);
  return there;
}

/**
 * Imports, and begins anew: what was before a reset never comes back, but for ids of requests, which begin anew. The jobs are
 * so long that a log is folded now and then.
 */
export function createResetter({ project, name, dice }: OwnSite): Client & { books(): Books } {
  let stored = new Set<string>();
  let gone = new Set<string>();
  let made = 0;
  let isResetting = false;

  async function reset(send: Send): Promise<void> {
    isResetting = true;
    const { fate } = await send('POST', `/_sandbox/projects/${project}/reset`);
    if (fate !== 'stored') return;
    isResetting = false;
    [stored, gone] = [new Set(), new Set([...gone, ...stored])];
  }

  const books = (): Books => ({ stored: new Set(stored), gone, isResetting });
  return {
    books,
    step: async (send) => {
      if (dice.often(10)) return reset(send);
      const id = `${name}-${made++}`;
      const jobs = [{ id, secondaryReference: 'x'.repeat(dice.below(20_000)) }];
      const path = `/sync/projects/${project}/jobs/batch`;
      if ((await send('POST', path, { jobs }, { repeatsIds: true })).fate === 'stored') stored.add(id);
    },
    check: async (_send, url) => {
      const there = await expectBooks(url, project, books());
      for (const id of stored) if (!there.has(id)) gone.add(id);
      stored = new Set(there);
      isResetting = false;
    },
  };
}
