/** Reads requests and callbacks from the control API, and prints each request and each attempt once. */
import { type Answer, type ControlClient, type Failure, type Query, toProjectPath } from '../../client/client.ts';
import { escapeControls } from '../../diagnostics/line-excerpt.ts';
import { parseDuration } from '../../lib/duration.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { components } from '../../openapi/control.gen.ts';
import { type LoggedCallback, numberOf, toAttemptLine, toFirstReasons, toRequestLine } from '../output/lines.ts';

type Row = components['schemas']['RequestRow'];
type Problem = components['schemas']['RequestProblem'];
type CallbackRow = components['schemas']['CallbackRow'];

/** Which requests to print. */
export interface LogFilter {
  readonly project: string | undefined;
  /** An id that a request names, or that it or one of its callbacks has. */
  readonly id: string | undefined;
  /** Other filters, as parameters of the lists: `status`, `outcome`, `trace`, `operation`, `within`, `since`. */
  readonly query: Query;
}

interface Output {
  /** Whether to add the first mistake of a request, or the rule that fired. */
  readonly explains: boolean;
  readonly isJson: boolean;
  print(text: string): void;
}

/** A callback, as lists or its own path show it. */
type SeenCallback = LoggedCallback & Pick<CallbackRow, 'requestId'>;

/** A request with its callbacks, or a callback without a request. */
interface Block {
  readonly at: string;
  readonly project: string;
  readonly request?: Row;
  readonly problem?: Problem | undefined;
  readonly callbacks: readonly SeenCallback[];
}

/** Number of requests, and callbacks without one, that are printed at first. */
const recent = 50;

/** Number of ids in a query for callbacks. */
const maxIds = 40;

/** Maximum number of projects that are searched for callbacks without a request. */
const maxProjects = 50;

export class LogReader {
  readonly #client: ControlClient;
  readonly #filter: LogFilter;
  readonly #output: Output;
  /** Number of printed attempts of each callback, and 0 of each printed request, by id, of each project. */
  readonly #printed = new Map<string, Map<string, number>>();
  /** The last request that was listed. */
  #lastId: string | undefined;

  constructor(client: ControlClient, filter: LogFilter, output: Output) {
    this.#client = client;
    this.#filter = filter;
    this.#output = output;
  }

  get project(): string | undefined {
    return this.#filter.project;
  }

  get hasPrinted(): boolean {
    return [...this.#printed.values()].some(({ size }) => size > 0);
  }

  /** Whether what became of requests decides which are printed, and not only their arrival. */
  get dependsOnOutcomes(): boolean {
    return this.#filter.query['outcome'] !== undefined;
  }

  /** Notes that requests so far are not new later, also if `read` prints none of them: the filter has a time. */
  async skipEarlier(): Promise<void> {
    const { since } = this.#filter.query;
    const latest = await this.#client.all<Row>(this.#path, { view: 'rows', order: 'newest' }, 1);
    this.#lastId = since === undefined ? (latest.ok ? latest.body[0]?.id : undefined) : String(since);
  }

  /** Prints the last requests, or all from the time of the filter. */
  async read(): Promise<Failure | undefined> {
    const { within, since } = this.#filter.query;
    const isAll = within !== undefined || since !== undefined;
    const blocks = await this.#readBlocks({ order: 'newest' }, isAll ? Number.POSITIVE_INFINITY : recent);
    if (!blocks.ok) return blocks;
    const triggered = await this.#readTriggered();
    if (!triggered.ok) return triggered;
    const all = [...blocks.body, ...triggered.body].sort((one, other) => (one.at < other.at ? -1 : 1));
    for (const block of isAll ? all : all.slice(-recent)) this.#printBlock(block);
    return undefined;
  }

  /** Prints requests that are new since the last call. */
  async readNew(): Promise<Failure | undefined> {
    const since = this.dependsOnOutcomes ? undefined : this.#lastId;
    const isAll = since !== undefined;
    const query = { within: undefined, since, order: isAll ? 'oldest' : 'newest' };
    const blocks = await this.#readBlocks(query, isAll ? Number.POSITIVE_INFINITY : recent);
    if (blocks.ok) for (const block of blocks.body) this.#printBlock(block);
    // The journal has dropped that request, or its project was reset.
    else if (isAll && blocks.status === 400) {
      this.#lastId = undefined;
      return this.readNew();
    }
    return blocks.ok ? undefined : blocks;
  }

  /** Prints the new attempts of a callback, if its request was printed, or if it has none. */
  async readCallback(
    project: string,
    id: string,
    { requestId, triggered }: { readonly requestId: string; readonly triggered: boolean },
  ): Promise<Failure | undefined> {
    if (triggered ? !this.#showsTriggered : !this.#of(project).has(requestId)) return undefined;
    const answer = await this.#client.ask<CallbackRow>(
      'GET',
      `${toProjectPath(project)}/callbacks/${encodeURIComponent(id)}`,
    );
    if (answer.ok) this.#printAttempts(project, [answer.body]);
    // The project was reset meanwhile.
    return answer.ok || answer.status === 404 ? undefined : answer;
  }

  /** Forgets what was printed of a project, or of all: after a reset, a project uses the same ids again. */
  forget(project: string | null): void {
    if (project !== null) this.#printed.delete(project);
    else {
      this.#printed.clear();
      this.#lastId = undefined;
    }
  }

  get #path(): string {
    const { project } = this.#filter;
    return `${project === undefined ? '' : toProjectPath(project)}/requests`;
  }

  /** Reads requests and their callbacks, oldest first. */
  async #readBlocks(query: Query, max: number): Promise<Answer<readonly Block[]>> {
    const { id, query: own } = this.#filter;
    const path = this.#path;
    const rows = await this.#client.all<Row>(path, { ...own, entity: id, view: 'rows', ...query }, max);
    if (!rows.ok) return rows;
    const sorted = query['order'] === 'newest' ? rows.body.toReversed() : rows.body;
    this.#lastId = sorted.at(-1)?.id ?? this.#lastId;
    const requests = sorted.filter(({ id: one, project: of }) => !this.#of(of).has(one));
    const problems = await this.#readProblems(path, { ...own, entity: id, ...query }, max, requests.length);
    if (!problems.ok) return problems;
    const callbacks = await this.#readCallbacksOf(requests);
    if (!callbacks.ok) return callbacks;
    const toBlock = (request: Row): Block => ({
      at: request.at,
      project: request.project ?? '',
      request,
      problem: problems.body.find((one) => one.id === request.id && one.project === request.project),
      callbacks: callbacks.body.filter((one) => one.requestId === request.id && one.project === request.project),
    });
    return { ok: true, body: requests.map(toBlock) };
  }

  async #readProblems(path: string, query: Query, max: number, count: number): Promise<Answer<readonly Problem[]>> {
    if (!this.#output.explains || count === 0) return { ok: true, body: [] };
    return this.#client.all(path, { ...query, view: 'problems' }, max);
  }

  async #readCallbacksOf(requests: readonly Row[]): Promise<Answer<readonly CallbackRow[]>> {
    const found: CallbackRow[] = [];
    const withCallbacks = requests.filter(({ callbackCount }) => callbackCount > 0);
    for (const project of new Set(withCallbacks.map((row) => row.project ?? ''))) {
      const rows = withCallbacks.filter((row) => row.project === project);
      for (let from = 0; from < rows.length; from += maxIds) {
        const requestId = rows
          .slice(from, from + maxIds)
          .map(({ id }) => id)
          .join();
        const callbacks = await this.#client.all<CallbackRow>(`${toProjectPath(project)}/callbacks`, {
          view: 'rows',
          requestId,
        });
        if (!callbacks.ok) return callbacks;
        found.push(...callbacks.body);
      }
    }
    return { ok: true, body: found };
  }

  /** Whether callbacks without a request are printed: filters of requests leave them out. */
  get #showsTriggered(): boolean {
    const { status, outcome, trace, since } = this.#filter.query;
    return [status, outcome, trace, since].every((one) => one === undefined);
  }

  /** Reads the latest callbacks without a request. */
  async #readTriggered(): Promise<Answer<readonly Block[]>> {
    if (!this.#showsTriggered) return { ok: true, body: [] };
    const { project: only, id, query } = this.#filter;
    const projects = await this.#listProjects(only);
    if (!projects.ok) return projects;
    const operation = String(query['operation'] ?? '').replace(/,?none$/, '') || undefined;
    const isOwnId = id?.startsWith('msg_');
    const filters = { view: 'rows', order: 'newest', triggered: true, operation, entity: isOwnId ? undefined : id };
    const found: Block[] = [];
    for (const project of projects.body) {
      const from = await this.#readStart(project, query['within']);
      const callbacks = await this.#client.all<CallbackRow>(`${toProjectPath(project)}/callbacks`, filters, recent);
      if (!callbacks.ok) return callbacks;
      const shown = callbacks.body.toReversed().filter((one) => one.at > from && (!isOwnId || one.id === id));
      found.push(...shown.map((one) => ({ at: one.at, project, callbacks: [one] })));
    }
    return { ok: true, body: found };
  }

  async #listProjects(only: string | undefined): Promise<Answer<readonly string[]>> {
    if (only !== undefined) return { ok: true, body: [only] };
    const projects = await this.#client.all<{ readonly id: string }>('/projects', {}, maxProjects);
    return projects.ok ? { ok: true, body: projects.body.map(({ id }) => id) } : projects;
  }

  /** Returns the time from which callbacks of a project are shown, by its clock. */
  async #readStart(project: string, within: Query[string]): Promise<string> {
    if (within === undefined) return '';
    const clock = await this.#client.ask<{ readonly now: string }>('GET', `${toProjectPath(project)}/clock`);
    return clock.ok ? toTimestamp(Date.parse(clock.body.now) - (parseDuration(String(within)) ?? 0)) : '';
  }

  #of(project: string | null): Map<string, number> {
    const known = this.#printed.get(project ?? '') ?? new Map<string, number>();
    this.#printed.set(project ?? '', known);
    return known;
  }

  #printBlock({ project, request, problem, callbacks }: Block): void {
    if (request) {
      this.#of(project).set(request.id, 0);
      const reasons = problem ? toFirstReasons(problem, this.#filter.id) : [];
      const why = reasons.map((reason) => reason.trim()).join('; ');
      if (this.#output.isJson) this.#printJson({ event: 'request', ...request, ...(why && { why }) });
      else this.#print([toRequestLine(request), ...reasons]);
    }
    this.#printAttempts(project, callbacks);
  }

  /** Prints the attempts of callbacks that were not printed yet, in the order of their times. */
  #printAttempts(project: string, callbacks: readonly SeenCallback[]): void {
    const printed = this.#of(project);
    const attempts = callbacks.flatMap((callback) => {
      const before = printed.get(callback.id) ?? 0;
      const all = callback.attempts.map(({ at }, index) => ({ at, callback, index }));
      const fresh = all.filter(({ index }) => numberOf(callback, index) > before);
      printed.set(callback.id, Math.max(before, callback.attemptCount ?? callback.attempts.length));
      return fresh.map((one, nth) => ({ ...one, isFirst: before === 0 && nth === 0 }));
    });
    for (const { callback, index, isFirst } of attempts.sort((one, other) => (one.at < other.at ? -1 : 1))) {
      const { id: callbackId, requestId, type } = callback;
      const named = { event: 'attempt', project, callbackId, requestId, type, attempt: numberOf(callback, index) };
      if (this.#output.isJson) this.#printJson({ ...named, ...toResult(callback.attempts[index]) });
      else this.#print([toAttemptLine(project, callback, index, isFirst)]);
    }
  }

  #print(lines: readonly string[]): void {
    this.#output.print(lines.map((line) => `${line}\n`).join(''));
  }

  #printJson(value: object): void {
    this.#output.print(escapeControls(`${JSON.stringify(value)}\n`));
  }
}

/** Returns what became of an attempt, without what was sent. */
function toResult(attempt: SeenCallback['attempts'][number] | undefined): object {
  const { at, cause, listener, status, error } = attempt ?? {};
  return { at, cause, listener, status, error };
}
