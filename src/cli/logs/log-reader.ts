/** Reads requests and callbacks from the control API, and prints each request and each attempt once. */
import pLimit from 'p-limit';
import { bodyOf, type ControlClient, type Query, toProjectPath } from '../../client/client.ts';
import type { SentEvent } from '../../client/event-stream.ts';
import { escapeControls } from '../../diagnostics/line-excerpt.ts';
import { parseDuration } from '../../lib/duration.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { components } from '../../openapi/control.gen.ts';
import { maxParallel } from '../connect.ts';
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

/** Lifts the limits of the filter in time. */
const anyTime = { within: undefined, since: undefined };

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
  /** Number of printed attempts of each callback, and 0 for each printed request, by id, of each project. */
  readonly #printed = new Map<string, Map<string, number>>();
  /** Requests that are not new: printed ones, and others from before, by their marks, of each project. */
  readonly #known = new Map<string, Set<string>>();
  #isFollowing = false;

  constructor(client: ControlClient, filter: LogFilter, output: Output) {
    this.#client = client;
    this.#filter = filter;
    this.#output = output;
  }

  get hasPrinted(): boolean {
    return this.#printed.size > 0;
  }

  /** Prints the last requests, or all from the time of the filter. */
  async read(): Promise<void> {
    // First, because it loads projects, and the list of all requests omits those that are not loaded.
    return this.#printFirst(await this.#listTriggered());
  }

  async #printFirst(triggered: readonly Block[]): Promise<void> {
    const { within, since } = this.#filter.query;
    const isAll = within !== undefined || since !== undefined;
    const max = isAll ? Number.POSITIVE_INFINITY : recent;
    const blocks = await this.#toBlocks(await this.#list({}, max), {}, max);
    const all = [...blocks, ...triggered].sort((one, other) => (one.at < other.at ? -1 : 1));
    for (const block of isAll ? all : all.slice(-recent)) this.#printBlock(block);
  }

  /** Prints what is there at first, and then what events announce. */
  async follow(events: readonly SentEvent[]): Promise<void> {
    if (this.#isFollowing) return this.#readNews(events);
    // Requests so far are not new later, also if none of them is printed: the filter has a time.
    const triggered = await this.#listTriggered();
    const rows = await this.#list(anyTime, maxOlder);
    await this.#printFirst(triggered);
    for (const row of rows) this.#know(row);
    this.#isFollowing = true;
  }

  async #readNews(events: readonly SentEvent[]): Promise<void> {
    const changed = new Map<string, ChangedCallback>();
    const hasGap = events.some(({ kind }) => kind === 'gap');
    const requestCount = events.filter(({ kind }) => kind === 'request').length;
    for (const { kind, text } of events) {
      const data = JSON.parse(text) as Record<string, unknown> & ChangedCallback;
      if (kind === 'callback' && data.attempts > 0) changed.set(`${data.project}/${data.id}`, data);
      if (data['what'] === 'reset') this.#forget(data.project);
    }
    // What became of earlier requests may decide which are printed, and not only their arrival.
    const dependsOnOutcomes = this.#filter.query['outcome'] !== undefined;
    if (hasGap || (dependsOnOutcomes && requestCount + changed.size > 0)) await this.#readBack(recent, hasGap);
    else if (requestCount > 0) await this.#readBack(requestCount + 1);
    for (const one of changed.values()) await this.#readCallback(one);
  }

  /** Reads back to a request that is known. `withPrinted`: prints later attempts of printed requests too. */
  async #readBack(count: number, withPrinted = false): Promise<void> {
    const isKnown = (row: Row): boolean => this.#isKnown(row);
    const rows = (await this.#listBack({ ...anyTime, view: 'rows' }, count, isKnown)).toReversed();
    const shown = rows.filter((row) => !isKnown(row) || (withPrinted && this.#isPrinted(row.project, row.id)));
    for (const block of await this.#toBlocks(shown, anyTime, rows.length)) this.#printBlock(block);
  }

  /** Prints the new attempts of a callback, if its request was printed, or if it has none. */
  async #readCallback({ project, id, requestId, triggered }: ChangedCallback): Promise<void> {
    if (triggered) return this.#printAttempts(project, await this.#readTriggered(project, id));
    if (!this.#isPrinted(project, requestId)) return;
    const path = `${toProjectPath(project)}/callbacks/${encodeURIComponent(id)}`;
    const answer = await this.#client.ask<CallbackRow>('GET', path);
    // With 404, the project was reset meanwhile.
    if (answer.ok || answer.status !== 404) this.#printAttempts(project, [bodyOf(answer)]);
  }

  get #path(): string {
    const { project } = this.#filter;
    return `${project === undefined ? '' : toProjectPath(project)}/requests`;
  }

  async #all<Item>(path: string, query: Query = {}, max?: number): Promise<readonly Item[]> {
    return bodyOf(await this.#client.all<Item>(path, query, max));
  }

  /** Lists requests, oldest first. `query` overrides the filter. */
  async #list(query: Query, max: number): Promise<readonly Row[]> {
    return (await this.#all<Row>(this.#path, { ...this.#toQuery(query), view: 'rows' }, max)).toReversed();
  }

  /** Lists requests, newest first: at least `max`, and back to one that `isLast` accepts. */
  async #listBack<Item>(query: Query, max: number, isLast: (item: Item) => boolean): Promise<readonly Item[]> {
    const items = await this.#all<Item>(this.#path, this.#toQuery(query), max);
    return items.length < max || items.some(isLast) ? items : this.#listBack(query, max * 4, isLast);
  }

  #toQuery(query: Query): Query {
    const { id, query: own } = this.#filter;
    return { ...own, entity: id, order: 'newest', ...query };
  }

  /** Adds callbacks to requests, and problems of the list that they are from. */
  async #toBlocks(requests: readonly Row[], query: Query, max: number): Promise<readonly Block[]> {
    const toKey = (project: string | null, id: string): string => `${project} ${id}`;
    const [oldest] = requests;
    // Requests that came since the list are before these.
    const isOldest = ({ project, id }: Problem) => project === oldest?.project && id === oldest.id;
    const explains = this.#output.explains && oldest !== undefined;
    const problems = explains ? await this.#listBack({ ...query, view: 'problems' }, max, isOldest) : [];
    const problemOf = new Map(problems.map((one) => [toKey(one.project, one.id), one]));
    const callbacksOf = groupBy(await this.#readCallbacksOf(requests), (one) => toKey(one.project, one.requestId));
    return requests.map((request) => {
      const { at, project, id } = request;
      const key = toKey(project, id);
      return {
        at,
        project: project ?? '',
        request,
        problem: problemOf.get(key),
        callbacks: callbacksOf.get(key) ?? [],
      };
    });
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

  /** Reads the latest callbacks of a project without a request. `changed`: the only one that is asked for. */
  async #readTriggered(project: string, changed?: string): Promise<readonly CallbackRow[]> {
    const { id, query } = this.#filter;
    const only = id?.startsWith('msg_') ? id : undefined;
    if (!this.#showsTriggered || (only ?? changed) !== (changed ?? only)) return [];
    const operation = String(query['operation'] ?? '').replace(/,?none$/, '') || undefined;
    const named = { operation, entity: only === undefined ? id : undefined, contains: changed ?? only };
    const filters = { view: 'rows', order: 'newest', triggered: true, ...named };
    return this.#all<CallbackRow>(`${toProjectPath(project)}/callbacks`, filters, recent);
  }

  /** Lists the latest callbacks without a request. Their times are those of their project's clock. */
  async #listTriggered(): Promise<readonly Block[]> {
    const { project: only, query } = this.#filter;
    const listed =
      only === undefined
        ? await this.#all<Summary>('/projects')
        : [bodyOf(await this.#client.ask<Summary>('GET', toProjectPath(only)))];
    const spanMs =
      query['within'] === undefined ? Number.POSITIVE_INFINITY : (parseDuration(String(query['within'])) ?? 0);
    const inTurn = pLimit(maxParallel);
    const readBlocks = async ({ id: project, clock }: Summary): Promise<readonly Block[]> =>
      (await inTurn(() => this.#readTriggered(project)))
        .filter(({ at }) => Date.parse(clock.now) - Date.parse(at) <= spanMs)
        .map((one) => ({ at: one.at, project, callbacks: [one] }))
        .toReversed();
    return (await Promise.all(listed.filter(({ counts }) => counts.callbacks > 0).map(readBlocks))).flat();
  }

  #of(project: string): Map<string, number> {
    const printed = this.#printed.get(project) ?? new Map<string, number>();
    this.#printed.set(project, printed);
    return printed;
  }

  #isPrinted(project: string | null, id: string): boolean {
    return this.#printed.get(project ?? '')?.has(id) === true;
  }

  /** After a reset, a project uses the same ids again, on a frozen clock at the same time. Requests of no project stay. */
  #forget(only: string | null): void {
    for (const seen of [this.#printed, this.#known])
      for (const project of only ? [only] : seen.keys()) if (project !== '') seen.delete(project);
  }

  #know(row: Row): void {
    const project = row.project ?? '';
    this.#known.set(project, (this.#known.get(project) ?? new Set()).add(toMark(row)));
  }

  #isKnown(row: Row): boolean {
    return this.#known.get(row.project ?? '')?.has(toMark(row)) === true;
  }

  #printBlock({ project, request, problem, callbacks }: Block): void {
    if (request && !this.#isKnown(request)) {
      this.#know(request);
      this.#of(project).set(request.id, 0);
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
    const attempts = callbacks.flatMap((callback) => {
      const before = this.#of(project).get(callback.id) ?? 0;
      const all = callback.attempts.map(({ at }, index) => ({ at, callback, index }));
      const fresh = all.filter(({ index }) => numberOf(callback, index) > before);
      this.#of(project).set(callback.id, Math.max(before, callback.attemptCount ?? callback.attempts.length));
      return fresh.map((one, nth) => ({ ...one, isFirst: before === 0 && nth === 0 }));
    });
    for (const { callback, index, isFirst } of attempts.sort((one, other) => (one.at < other.at ? -1 : 1))) {
      const { id: callbackId, requestId, type } = callback;
      const { at, cause, listener, status, error } = callback.attempts[index] ?? {};
      const named = { event: 'attempt', project, callbackId, requestId, type, attempt: numberOf(callback, index) };
      if (this.#output.isJson) this.#printJson({ ...named, at, cause, listener, status, error });
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

/** Returns what tells a request from one of another sandbox with the same id, also on frozen clocks. */
function toMark({ id, at, traceId, durationMs }: Row): string {
  return [id, at, traceId, durationMs].join(' ');
}
