/** Keeps what clients asked and what they were answered, and finds what contradicts it. */
import type { ProjectState } from '../../src/project/state.ts';
import type { RequestKind } from './plan.ts';

/** What a client knows about the effect of its request. */
export type Knowledge = 'open' | 'applied' | 'not applied' | 'unknown';

export interface Asked {
  readonly client: number;
  readonly kind: RequestKind;
  readonly project: string;
  readonly askedAt: number;
  answeredAt: number;
  known: Knowledge;
  /** The job that it creates, changes or imports; the time of a point; the job that does not exist. */
  readonly subject: string;
  /** What an update sets. */
  readonly value: string;
}

/** Jobs by id, with the value that an update has set. */
export type JobsRead = ReadonlyMap<string, string | undefined>;

export interface Ledger {
  readonly asked: readonly Asked[];
  ask(client: number, kind: RequestKind, project: string, subject: string, value: string): Asked;
  answer(asked: Asked, known: Knowledge): void;
  /** Checks a read that began when these jobs were known. */
  checkRead(project: string, needed: JobsRead, jobs: JobsRead): void;
  /** Returns what a read that begins now must show. */
  neededNow(project: string): JobsRead;
  /** Notes the id of a request. No project has one twice. */
  noteRequestId(project: string, id: string): void;
  /** Checks what a project is at the end. */
  checkEnd(project: string, state: ProjectState | undefined): void;
  /** A callback about a failed entry is being sent. */
  noteCallback(subject: string, id: string): void;
  /** Returns requests whose callback is missing. */
  missingCallbacks(): readonly Asked[];
}

export function createLedger(now: () => number, violate: (text: string) => void): Ledger {
  const asked: Asked[] = [];
  const requestIds = new Set<string>();
  /** Jobs that a read has shown, which must not vanish. */
  const shown = new Map<string, Map<string, string | undefined>>();
  const callbacks = new Map<string, Set<string>>();
  const isReset = (project: string): boolean => project === 'reset';
  const of = (project: string, ...kinds: RequestKind[]): readonly Asked[] =>
    asked.filter((one) => one.project === project && kinds.includes(one.kind));

  function neededNow(project: string): JobsRead {
    if (isReset(project)) return new Map();
    const needed = new Map<string, string | undefined>(shown.get(project));
    for (const { known, subject } of of(project, 'job')) if (known === 'applied') needed.set(subject, undefined);
    for (const { known, subject, value } of of(project, 'update')) if (known === 'applied') needed.set(subject, value);
    return needed;
  }

  function checkRead(project: string, needed: JobsRead, jobs: JobsRead): void {
    for (const [id, value] of needed) {
      if (!jobs.has(id)) violate(`a read of ${project} does not show job ${id}`);
      else if (value !== undefined) checkValue(project, id, value, jobs.get(id));
    }
    for (const { known, subject } of of(project, 'job').filter((one) => jobs.has(one.subject)))
      if (known === 'not applied') violate(`job ${subject} of ${project} was "not applied"`);
    noteShown(project, jobs);
  }

  function noteShown(project: string, jobs: JobsRead): void {
    if (isReset(project)) return;
    const before = shown.get(project) ?? new Map<string, undefined>();
    for (const id of jobs.keys()) before.set(id, undefined);
    shown.set(project, before);
  }

  /** A job shows the latest update that was answered, or one that was sent later. */
  function checkValue(project: string, id: string, value: string, actual: string | undefined): void {
    const updates = of(project, 'update').filter(({ subject }) => subject === id);
    const answered = updates.findIndex((one) => one.value === value);
    const found = updates.findIndex((one) => one.value === actual);
    if (found < answered) violate(`job ${id} of ${project} shows ${actual}, an older value than ${value}`);
    if (updates[found]?.known === 'not applied') violate(`the update ${value} of job ${id} was "not applied"`);
  }

  function checkEnd(project: string, state: ProjectState | undefined): void {
    const jobs = new Map<string, string | undefined>();
    for (const [id, job] of state?.records.jobs ?? []) jobs.set(id, job['secondaryReference'] as string | undefined);
    if (isReset(project)) {
      checkReset(jobs);
      return;
    }
    checkRead(project, neededNow(project), jobs);
    for (const { known, subject } of of(project, 'import'))
      if (known === 'applied' && !jobs.has(subject)) violate(`the imported job ${subject} of ${project} is missing`);
    checkPoints(
      project,
      [...(state?.records.trails.values() ?? [])].flat().map(({ at }) => String(at)),
    );
  }

  /** Each point is there once, or not at all. */
  function checkPoints(project: string, points: readonly string[]): void {
    for (const { known, subject } of of(project, 'point')) {
      const count = points.filter((at) => at === subject).length;
      const isRight = known === 'unknown' ? count < 2 : count === (known === 'applied' ? 1 : 0);
      if (!isRight) violate(`point ${subject} of ${project}, ${known}, is there ${count} times`);
    }
  }

  /** A job that was answered before a reset is gone; one that was sent after every reset is there. */
  function checkReset(jobs: JobsRead): void {
    const resets = of('reset', 'reset');
    for (const { subject, askedAt, answeredAt, known } of of('reset', 'job', 'import')) {
      if (known !== 'applied') continue;
      const after = resets.some((one) => one.known === 'applied' && one.askedAt > answeredAt);
      // An import may still be carried out when the project is reset, but then it is cancelled.
      if (after && jobs.has(subject)) violate(`job ${subject} is there after a reset`);
      const before = resets.every((one) => one.known === 'applied' && one.answeredAt < askedAt);
      if (before && !jobs.has(subject)) violate(`job ${subject} of the project that was reset before is missing`);
    }
  }

  return {
    asked,
    ask: (client, kind, project, subject, value) => {
      const one: Asked = { client, kind, project, subject, value, askedAt: now(), answeredAt: 0, known: 'open' };
      asked.push(one);
      return one;
    },
    answer: (one, known) => {
      one.known = known;
      one.answeredAt = now();
    },
    neededNow,
    checkRead,
    noteRequestId: (project, id) => {
      if (isReset(project)) return;
      if (requestIds.has(id)) violate(`two requests to ${project} have the id ${id}`);
      requestIds.add(id);
    },
    checkEnd,
    noteCallback: (subject, id) => {
      const ids = callbacks.get(subject) ?? new Set();
      callbacks.set(subject, ids.add(id));
      if (ids.size > 1) violate(`the request about ${subject} has two callbacks`);
      const cause = asked.find((one) => one.kind === 'failing' && one.subject === subject);
      if (cause?.known === 'not applied') violate(`the request about ${subject}, "not applied", has a callback`);
    },
    missingCallbacks: () =>
      asked.filter(
        ({ kind, known, subject, project }) =>
          kind === 'failing' && known === 'applied' && !isReset(project) && !callbacks.has(subject),
      ),
  };
}
