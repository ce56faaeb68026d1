/** Gathers what happened in all projects, from those that are reset or let go before it is lost, and judges it at the end. */
import type { Journal, NewEntry } from '../journal/journal.ts';
import type { World } from '../world.ts';
import type { Loss, Worlds } from '../worlds.ts';
import { createCommonScenarios } from './common-scenarios.ts';
import { inOrder } from './in-order.ts';
import { createOwnScenarios } from './own-scenarios.ts';
import { createTotals } from './totals.ts';
import type { Verdict } from './verdict.ts';

export interface Evidence {
  /** How many requests and callbacks there were so far. */
  progress(): { readonly requests: number; readonly callbacks: number };
  /** Adds what the projects hold now, and judges all of it. Nothing is gathered any more. */
  conclude(): Verdict;
}

/** Gathers from now on. */
export function createEvidence({ worlds, journal }: { worlds: Worlds; journal: Journal }): Evidence {
  const totals = createTotals();
  const common = createCommonScenarios(worlds);
  const own = createOwnScenarios(worlds);
  const ends = [journal.subscribe(totals.addRequest), worlds.onLoss(take)];

  function take(world: World, what: Loss): void {
    // Those that are answered later have taken effect, and are in no journal yet.
    const requests = (): readonly NewEntry[] => [...journal.list(world.id), ...world.delayed];
    if (what !== 'server scenarios') own.take(world, what, requests);
    if (what !== 'own scenarios') common.take(world, requests);
    if (what !== 'everything') return;
    for (const request of world.delayed) totals.addRequest(request);
    for (const callback of world.data.callbacks.values()) totals.addCallback(callback);
  }

  return {
    progress: () => {
      const { requests, callbacks } = totals.totals();
      return { requests, callbacks: worlds.list().reduce((sum, { data }) => sum + data.callbacks.size, callbacks) };
    },
    conclude: () => {
      for (const end of ends) end();
      const left = worlds.list().toSorted((a, b) => inOrder(a.id, b.id));
      for (const world of left) take(world, 'everything');
      const all = totals.totals();
      const pending = left.map((world) => world.pending());
      return {
        scenarios: [...common.verdicts(all.requests), ...own.verdicts()],
        totals: all,
        pending: pending.reduce((sum, { instructions, callbacks }) => sum + instructions + callbacks, 0),
      };
    },
  };
}
