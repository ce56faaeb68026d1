/** Collects the results of all projects, including those that are reset or evicted, and judges them at the end. */
import type { NewEntry } from '../../journal/entry.ts';
import type { Project } from '../../project/project.ts';
import type { Discarded } from '../../project/registry.ts';
import type { RunningSandbox } from '../../server.ts';
import { compareTexts, ScenarioResults, type ScenarioVerdict } from './scenarios.ts';
import { Totals } from './totals.ts';

export interface Verdict {
  /** Scenarios for all projects first. */
  readonly scenarios: readonly ScenarioVerdict[];
  readonly totals: Totals;
  /** Number of deferred commands and attempts that were still pending after a day. */
  readonly pending: number;
}

/** Collects from its creation on. */
export class RunResults {
  readonly #sandbox: Pick<RunningSandbox, 'projects' | 'journal'>;
  readonly #totals = new Totals();
  readonly #scenarios: ScenarioResults;
  readonly #subscriptions: readonly (() => void)[];

  constructor(sandbox: Pick<RunningSandbox, 'projects' | 'journal'>) {
    const { projects, journal } = sandbox;
    this.#sandbox = sandbox;
    this.#scenarios = new ScenarioResults(projects);
    this.#subscriptions = [
      journal.subscribe((request) => this.#totals.addRequest(request)),
      projects.on('discard', (project, discarded) => this.#add(project, discarded)),
      projects.on('evaluated', (request) => this.#scenarios.addEvaluated(request)),
    ];
  }

  /** Marks later attempts to deliver a callback as made after the command had ended. */
  commandEnded(): void {
    this.#totals.commandEnded(this.#sandbox.projects.list());
  }

  /** Adds the results of the remaining projects, judges all results, and stops collecting. */
  conclude(): Verdict {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    const remaining = this.#sandbox.projects.list().toSorted((a, b) => compareTexts(a.id, b.id));
    for (const project of remaining) this.#add(project, { what: 'everything' });
    const pending = remaining.map((project) => project.pending());
    return {
      scenarios: this.#scenarios.verdicts(this.#totals.requests),
      totals: this.#totals,
      pending: pending.reduce((sum, { instructions, callbacks }) => sum + instructions + callbacks, 0),
    };
  }

  #add(project: Project, discarded: Discarded): void {
    // Requests with a delayed response have taken effect, but are not in the journal yet.
    const requests = (): readonly NewEntry[] => [...this.#sandbox.journal.list(project.id), ...project.delayedRequests];
    this.#scenarios.addProject(project, discarded, requests);
    if (discarded.what !== 'everything') return;
    for (const request of project.delayedRequests) this.#totals.addRequest(request);
    this.#totals.addCallbacks(project);
  }
}
