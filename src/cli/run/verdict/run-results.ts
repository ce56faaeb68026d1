/** Collects the results of all projects, including those that are reset or evicted, and judges them at the end. */
import type { NewEntry } from '../../../journal/entry.ts';
import type { Journal } from '../../../journal/journal.ts';
import type { Project } from '../../../project/project.ts';
import type { Discarded, ProjectRegistry } from '../../../project/registry.ts';
import { createDeliveryFailures } from './delivery-failures.ts';
import { createOwnScenarios } from './project-scenarios.ts';
import { NearestRequests } from './rule-stats.ts';
import { createCommonScenarios } from './server-scenarios.ts';
import { createTotals } from './totals.ts';
import { compareTexts, type Verdict } from './verdict.ts';

export interface RunResults {
  /** Returns the numbers of requests and callbacks so far. */
  progress(): { readonly requests: number; readonly callbacks: number };
  /** Marks later attempts to deliver a callback as made after the command had ended. */
  commandEnded(): void;
  /** Adds the results of the remaining projects, judges all results, and stops collecting. */
  conclude(): Verdict;
}

/** Starts to collect results. */
export function createRunResults({ projects, journal }: { projects: ProjectRegistry; journal: Journal }): RunResults {
  const totals = createTotals();
  const nearest = new NearestRequests();
  const serverScenarios = createCommonScenarios(projects, nearest);
  const projectScenarios = createOwnScenarios(projects, nearest);
  const failures = createDeliveryFailures();
  const subscriptions = [
    journal.subscribe(totals.addRequest),
    projects.onDiscard(collect),
    projects.onEvaluated((request) => nearest.add(request)),
  ];

  function collect(project: Project, discarded: Discarded): void {
    const { what } = discarded;
    // Requests with a delayed response have taken effect, but are not in the journal yet.
    const requests = (): readonly NewEntry[] => [...journal.list(project.id), ...project.delayedRequests];
    if (what !== 'server scenarios') projectScenarios.addProject(project, discarded, requests);
    if (what !== 'own scenarios') serverScenarios.addProject(project);
    if (what !== 'everything') return;
    for (const request of project.delayedRequests) totals.addRequest(request);
    for (const callback of project.state.callbacks.values()) {
      totals.addCallback(callback, failures.find(project, callback));
    }
  }

  return {
    progress: () => {
      const { requests, callbacks } = totals.totals();
      return { requests, callbacks: projects.list().reduce((sum, { state }) => sum + state.callbacks.size, callbacks) };
    },
    commandEnded: () => failures.commandEnded(projects.list()),
    conclude: () => {
      for (const unsubscribe of subscriptions) unsubscribe();
      const remaining = projects.list().toSorted((a, b) => compareTexts(a.id, b.id));
      for (const project of remaining) collect(project, { what: 'everything' });
      const sums = totals.totals();
      const pending = remaining.map((project) => project.pending());
      return {
        scenarios: [...serverScenarios.verdicts(sums.requests), ...projectScenarios.verdicts()],
        totals: sums,
        pending: pending.reduce((sum, { instructions, callbacks }) => sum + instructions + callbacks, 0),
      };
    },
  };
}
