/** Reads requests and callbacks from the control API, and prints each request and each attempt once. */
import { AnswerError, bodyOf, type ControlClient, type Query, toProjectPath } from '../../client/client.ts';
import type { SentEvent } from '../../client/event-stream.ts';
import { escapeControls } from '../../diagnostics/line-excerpt.ts';
import { parseDuration } from '../../lib/duration.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { components } from '../../openapi/control.gen.ts';
import { type LoggedCallback, numberOf, toAttemptLine, toFirstReasons, toRequestLine } from '../output/lines.ts';

type Row = components['schemas']['RequestRow'];
type Problem = components['schemas']['RequestProblem'];
type CallbackRow = components['schemas']['CallbackRow'];
type Summary = components['schemas']['ProjectSummary'];

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

/** Number of requests that are not new when the log is followed: as many as a page has. */
const maxOlder = 1000;

/** Number of ids in a query for callbacks. */
const maxIds = 40;

/** A callback event's data that decides whether to read the callback. */
interface ChangedCallback {
  readonly id: string;
  readonly project: string;
  readonly requestId: string;
  readonly triggered?: true;
  readonly attempts: number;
}

/** Its methods throw an AnswerError. */
export class LogReader {
  readonly #client: ControlClient;
  readonly #filter: LogFilter;
  readonly #output: Output;
  /** Number of printed attempts of each callback, and the mark of each printed request, by id, of each project. */
  readonly #printed = new Map<string, Map<string, number | string>>();
  /** Requests from before that are not printed, of each project: the filter has a time, or there were too many. */
  readonly #older = new Map<string, ReadonlySet<string>>();
  /** The last request that was listed. */
  #lastId: string | undefined;
  #isFollowing = false;

  constructor(client: ControlClient, filter: LogFilter, output: Output) {
    this.#client = client;
    this.#filter = filter;
    this.#output = output;
  }

  get hasPrinted(): boolean {
    return [...this.#printed.values()].some(({ size }) => size > 0);
  }

  /** Prints the last requests, or all from the time of the filter. */
  async read(): Promise<void> {
    const { within, since } = this.#filter.query;
    const isAll = within !== undefined || since !== undefined;
    const blocks = await this.#readBlocks({ order: 'newest' }, isAll ? Number.POSITIVE_INFINITY : recent);
    const all = [...blocks, ...(await this.#readTriggered())].sort((one, other) => (one.at < other.at ? -1 : 1));
    for (const block of isAll ? all : all.slice(-recent)) this.#printBlock(block);
  }

  /** Prints what is there at first, and then what events announce. */
  async follow(events: readonly SentEvent[]): Promise<void> {
    if (this.#isFollowing) return this.#readNews(events);
    // Requests so far are not new later, also if none of them is printed: the filter has a time.
    const { id, query } = this.#filter;
    const { since } = query;
    const all = { ...query, entity: id, within: undefined, since: undefined, view: 'rows', order: 'newest' };
    const rows = await this.#all<Row>(this.#path, all, maxOlder);
    this.#lastId = since === undefined ? rows[0]?.id : String(since);
    await this.read();
    const older = rows.filter((row) => !this.#isPrinted(row));
    for (const [project, group] of groupBy(older, (row) => row.project ?? ''))
      this.#older.set(project, new Set(group.map(toKey)));
    this.#isFollowing = true;
  }

  async #readNews(events: readonly SentEvent[]): Promise<void> {
    const changed = new Map<string, ChangedCallback>();
    const hasGap = events.some(({ kind }) => kind === 'gap');
    const hasRequests = events.some(({ kind }) => kind === 'request');
    for (const { kind, text } of events) {
      const data = JSON.parse(text) as Record<string, unknown> & ChangedCallback;
      if (kind === 'callback' && data.attempts > 0) changed.set(`${data.project}/${data.id}`, data);
      // A project may use the same ids again after a reset.
      if (data['what'] === 'reset') this.#forget(data.project ?? null);
    }
    // After a gap the sandbox may be another one.
    if (hasGap) this.#lastId = undefined;
    if (hasGap) await this.#readBack(true);
    else if (hasRequests || (this.#dependsOnOutcomes && changed.size > 0)) await this.#readNewRequests();
    for (const one of changed.values()) await this.#readCallback(one);
  }

  /** Whether what became of requests decides which are printed, and not only their arrival. */
  get #dependsOnOutcomes(): boolean {
    return this.#filter.query['outcome'] !== undefined;
  }

  async #readNewRequests(): Promise<void> {
    const since = this.#dependsOnOutcomes ? undefined : this.#lastId;
    if (since === undefined) return this.#readBack();
    try {
      const query = { within: undefined, since, order: 'oldest' };
      const blocks = await this.#readBlocks(query, Number.POSITIVE_INFINITY);
      for (const block of blocks) this.#printBlock(block);
    } catch (error) {
      // The journal has dropped that request, or its project was reset.
      if (!(error instanceof AnswerError) || error.failure.status !== 400) throw error;
      this.#lastId = undefined;
      await this.#readBack();
    }
  }

  /** Reads back to a request that was printed. `withPrinted`: prints later attempts of such requests too. */
  async #readBack(withPrinted = false): Promise<void> {
    const query = { within: undefined, since: undefined, order: 'newest' };
    let max = recent;
    let blocks = await this.#readBlocks(query, max, withPrinted);
    while (blocks.length === max && !blocks.some(({ request }) => request && this.#isPrinted(request))) {
      max *= 4;
      blocks = await this.#readBlocks(query, max, withPrinted);
    }
    for (const block of blocks) this.#printBlock(block);
  }

  /** Prints the new attempts of a callback, if its request was printed, or if it has none. */
  async #readCallback({ project, id, requestId, triggered }: ChangedCallback): Promise<void> {
    if (triggered ? !(await this.#isShown(project, id)) : !this.#of(project).has(requestId)) return;
    const path = `${toProjectPath(project)}/callbacks/${encodeURIComponent(id)}`;
    const answer = await this.#client.ask<CallbackRow>('GET', path);
    // With 404, the project was reset meanwhile.
    if (answer.ok || answer.status !== 404) this.#printAttempts(project, [bodyOf(answer)]);
  }

  /** Forgets what was printed of a project, or of all. */
  #forget(project: string | null): void {
    for (const known of [this.#printed, this.#older]) {
      if (project !== null) known.delete(project);
      else known.clear();
    }
    this.#lastId = undefined;
  }

  get #path(): string {
    const { project } = this.#filter;
    return `${project === undefined ? '' : toProjectPath(project)}/requests`;
  }

  async #all<Item>(path: string, query: Query = {}, max?: number): Promise<readonly Item[]> {
    return bodyOf(await this.#client.all<Item>(path, query, max));
  }

  /** Reads requests and their callbacks, oldest first. */
  async #readBlocks(query: Query, max: number, withPrinted = false): Promise<readonly Block[]> {
    const { id, query: own } = this.#filter;
    const filters = { ...own, entity: id, ...query };
    const rows = await this.#all<Row>(this.#path, { ...filters, view: 'rows' }, max);
    const sorted = query['order'] === 'newest' ? rows.toReversed() : rows;
    this.#lastId = sorted.at(-1)?.id ?? this.#lastId;
    const isNew = (row: Row): boolean => this.#older.get(row.project ?? '')?.has(toKey(row)) !== true;
    const requests = sorted.filter((row) => isNew(row) && (withPrinted || !this.#isPrinted(row)));
    const explains = this.#output.explains && requests.length > 0;
    const problems = explains ? await this.#all<Problem>(this.#path, { ...filters, view: 'problems' }, max) : [];
    const callbacks = await this.#readCallbacksOf(requests);
    return requests.map((request) => ({
      at: request.at,
      project: request.project ?? '',
      request,
      problem: problems.find((one) => one.id === request.id && one.project === request.project),
      callbacks: callbacks.filter((one) => one.requestId === request.id && one.project === request.project),
    }));
  }

  async #readCallbacksOf(requests: readonly Row[]): Promise<readonly CallbackRow[]> {
    const found: CallbackRow[] = [];
    const withCallbacks = requests.filter(({ callbackCount }) => callbackCount > 0);
    for (const project of new Set(withCallbacks.map((row) => row.project ?? ''))) {
      const ids = withCallbacks.filter((row) => row.project === project).map(({ id }) => id);
      const path = `${toProjectPath(project)}/callbacks`;
      for (let from = 0; from < ids.length; from += maxIds) {
        const requestId = ids.slice(from, from + maxIds).join();
        for (const one of await this.#all<CallbackRow>(path, { view: 'rows', requestId })) found.push(one);
      }
    }
    return found;
  }

  /** Whether callbacks without a request are printed: filters of requests leave them out. */
  get #showsTriggered(): boolean {
    const { status, outcome, trace, since, operation } = this.#filter.query;
    return operation !== 'none' && [status, outcome, trace, since].every((one) => one === undefined);
  }

  /** Whether the filter has a callback without a request. */
  async #isShown(project: string, id: string): Promise<boolean> {
    const { id: only } = this.#filter;
    if (!this.#showsTriggered || only?.startsWith('msg_')) return this.#showsTriggered && only === id;
    return (await this.#readTriggeredOf(project, { contains: id })).length > 0;
  }

  #readTriggeredOf(project: string, more: Query): Promise<readonly CallbackRow[]> {
    const { id: entity, query } = this.#filter;
    const operation = String(query['operation'] ?? '').replace(/,?none$/, '') || undefined;
    const filters = { view: 'rows', order: 'newest', triggered: true, operation, entity, ...more };
    return this.#all<CallbackRow>(`${toProjectPath(project)}/callbacks`, filters, recent);
  }

  /** Reads the latest callbacks without a request. Their times are those of their project's clock. */
  async #readTriggered(): Promise<readonly Block[]> {
    if (!this.#showsTriggered) return [];
    const { project: only, id, query } = this.#filter;
    const listed =
      only === undefined
        ? await this.#all<Summary>('/projects')
        : [bodyOf(await this.#client.ask<Summary>('GET', toProjectPath(only)))];
    const spanMs =
      query['within'] === undefined ? Number.POSITIVE_INFINITY : (parseDuration(String(query['within'])) ?? 0);
    const named = id?.startsWith('msg_') ? { contains: id, entity: undefined } : {};
    const found: Block[] = [];
    for (const { id: project, clock } of listed.filter(({ counts }) => counts.callbacks > 0)) {
      const callbacks = await this.#readTriggeredOf(project, named);
      const shown = callbacks.toReversed().filter(({ at }) => Date.parse(clock.now) - Date.parse(at) < spanMs);
      found.push(...shown.map((one) => ({ at: one.at, project, callbacks: [one] })));
    }
    return found;
  }

  #of(project: string | null): Map<string, number | string> {
    const known = this.#printed.get(project ?? '') ?? new Map<string, number | string>();
    this.#printed.set(project ?? '', known);
    return known;
  }

  #isPrinted(row: Row): boolean {
    return this.#of(row.project).get(row.id) === toMark(row);
  }

  #printBlock({ project, request, problem, callbacks }: Block): void {
    if (request && !this.#isPrinted(request)) {
      this.#of(project).set(request.id, toMark(request));
      // Another sandbox had a request with the same id, and its callbacks.
      for (const { id } of callbacks) this.#of(project).delete(id);
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
      const before = Number(printed.get(callback.id) ?? 0);
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

/** Returns a text that only this request of its project has. */
function toKey(row: Row): string {
  return `${row.id} ${toMark(row)}`;
}

/** Returns what tells a request from one of another sandbox with the same id, also on frozen clocks. */
function toMark({ at, traceId, durationMs }: Row): string {
  return `${at} ${traceId} ${durationMs}`;
}
