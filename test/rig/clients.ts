/** Clients that change and read projects, one request after another, and hold each answer against the ones before. */
import type { Dice } from '../model/dice.ts';
import type { CallbackLog } from './callback-log.ts';
import type { Kind, Ledger } from './ledger.ts';
import { listJobs } from './list-jobs.ts';
import type { Answer, Send } from './send.ts';

/** One client. */
export interface Client {
  /** What must be there before it starts. */
  begin?(send: Send): Promise<void>;
  step(send: Send): Promise<void>;
  /** Compares what is there with what was answered, through one server. */
  check?(send: Send, url: string): Promise<void>;
}

export interface Site {
  readonly project: string;
  /** Starts all ids of this client, so that no two clients have one. */
  readonly name: string;
  readonly dice: Dice;
  readonly ledger: Ledger;
  readonly callbacks: CallbackLog;
  /** Whether a request without an answer may still be applied later, since there are several servers. */
  readonly isShared: boolean;
}

/** Imports jobs at once. Some are rejected, alone or as a whole; one that was imported twice would be rejected, too. */
export function createImporter({ project, name, dice, ledger }: Site): Client {
  const path = `/sync/projects/${project}/jobs/batch`;
  let made = 0;

  function drawJob(): { readonly id: string; readonly status?: string } {
    const id = `${name}-${made++}`;
    const filler = { secondaryReference: 'x'.repeat(dice.below(1500)) };
    if (dice.often(15)) return { id: `REFUSE-${id}`, ...filler };
    return { id, ...filler, ...(dice.often(10) && { status: 'DELIVERD' }) };
  }

  return {
    step: async (send) => {
      const jobs = Array.from({ length: 1 + dice.below(6) }, drawJob);
      // A body without its list is rejected, with all that is in it.
      const isWhole = !dice.often(10);
      const answer = isWhole
        ? await send('POST', path, { jobs })
        : await send('POST', path, { jbos: jobs }, { expected: [400] });
      const isRejected = ({ id, status }: (typeof jobs)[number]): boolean =>
        !isWhole || id.startsWith('REFUSE') || status !== undefined;
      const rejected = jobs.filter(isRejected).map(({ id }) => id);
      if (answer.body && failedOf(answer).join() !== rejected.join())
        ledger.violate(`expected ${rejected} as the rejected ones: ${answer.how}`);
      for (const job of jobs)
        ledger.create(
          { project, id: job.id, kind: 'at once' },
          isRejected(job) ? { ...answer, fate: 'absent' } : answer,
        );
    },
  };
}

/** Imports jobs that are processed later. Some fail then, and a callback reports them. */
export function createLateImporter({ project, name, dice, ledger }: Site): Client {
  let made = 0;
  return {
    step: async (send) => {
      const ids = Array.from({ length: 1 + dice.below(3) }, () => `${dice.often(40) ? 'FAIL-' : ''}${name}-${made++}`);
      const answer = await send('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
      if (failedOf(answer).length > 0) ledger.violate(`accepted twice: ${answer.how}`);
      const kindOf = (id: string): Kind => (id.startsWith('FAIL-') ? 'failing' : 'later');
      for (const id of ids) ledger.create({ project, id, kind: kindOf(id) }, answer);
    },
  };
}

const failedOf = ({ body }: Answer): readonly string[] => (body?.failed ?? []).map(({ id }: { id: string }) => id);

/** Changes the same few jobs again and again, with so much text that a log is folded every few requests, and reads them. */
export function createUpdater({ project, name, dice, ledger, isShared }: Site): Client {
  const ids = Array.from({ length: 4 }, (_, index) => `${name}-${index}`);
  /** Revisions: the last one that was answered, the last one that was sent, and those without an answer. */
  const revisions = new Map(ids.map((id) => [id, { known: 0, asked: 0, unknown: new Set<number>() }]));

  async function look(send: Send, id: string, when: string): Promise<void> {
    const revision = revisions.get(id);
    if (!revision) return;
    const { known } = revision;
    const path = `/_sandbox/projects/${project}/jobs/${id}`;
    const { body, status, how } = await send('GET', path, undefined, { expected: [404] });
    if (status === 404) ledger.violate(`${when}: ${project}/${id} is gone, revision ${known} was answered`);
    if (body === undefined) return;
    const seen = Number(String(body.secondaryReference).split(' ')[0]);
    if (!(seen >= known && seen <= revision.asked) && !revision.unknown.has(seen))
      ledger.violate(`${when}: ${project}/${id} has ${seen}, not ${known} to ${revision.asked}: ${how}`);
    if (!isShared) revision.known = seen;
  }

  return {
    begin: async (send) => {
      const jobs = ids.map((id) => ({ id, secondaryReference: '0 ' }));
      const { how, fate } = await send('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
      if (fate !== 'stored') ledger.violate(`${project}: ${how}`);
    },
    step: async (send) => {
      const id = dice.of(ids);
      const revision = revisions.get(id);
      if (!revision || dice.often(30)) return look(send, id, 'read');
      revision.asked += 1;
      const { asked } = revision;
      const jobs = [{ id, secondaryReference: `${asked} ${'y'.repeat(10_000 + dice.below(20_000))}` }];
      const { fate } = await send('PATCH', `/sync/projects/${project}/jobs/batch`, { jobs });
      if (fate === 'stored') revision.known = asked;
      if (fate === 'unknown' && isShared) revision.unknown.add(asked);
    },
    check: async (send) => {
      for (const id of ids) await look(send, id, 'at the end');
    },
  };
}

/** Reads jobs soon after other clients have created them. */
export function createReader({ dice, ledger }: Site): Client {
  return {
    step: async (send) => {
      const latest = ledger.creations.slice(-50);
      if (latest.length === 0) return;
      const created = dice.of(latest);
      // Jobs that are processed later may not be there yet.
      if (created.fate === 'unknown' || created.kind !== 'at once') return;
      const path = `/_sandbox/projects/${created.project}/jobs/${created.id}`;
      const { status, how } = await send('GET', path, undefined, { expected: [404] });
      const wrong = created.fate === 'stored' ? 404 : 200;
      if (status === wrong) ledger.violate(`read: ${JSON.stringify(created)} but ${how}`);
    },
  };
}

/** Moves a clock that stands still. Each move counts once; what is due by then happens, and what is not stays due. */
export function createClockMover({ project, name, dice, ledger, callbacks, isShared }: Site): Client {
  const path = `/_sandbox/projects/${project}/clock`;
  const accepted = new Set<string>();
  let made = 0;
  /** Times at which the clock may be: several after a move without an answer, which may be applied late. */
  let possible = new Set<number>();

  async function look(send: Send, when: string): Promise<void> {
    const { body } = await send('GET', path);
    if (body === undefined) return;
    const now = Date.parse(body.now);
    // A move that breaks off may have gone part of its way, up to something that was due.
    const isPossible = isShared ? possible.has(now) : now >= Math.min(...possible) && now <= Math.max(...possible);
    if (body.mode !== 'frozen' || !isPossible)
      ledger.violate(`${when}: the clock of ${project} is ${body.mode} at ${body.now}, not at ${[...possible]}`);
    possible = new Set(isShared ? [...possible].filter((ms) => ms >= now) : [now]);
  }

  async function importLater(send: Send): Promise<void> {
    const id = `${dice.often(30) ? 'FAIL-' : ''}${name}-${made++}`;
    const { fate } = await send('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] });
    if (fate === 'stored') accepted.add(id);
  }

  async function move(send: Send): Promise<void> {
    const by = 50 * (1 + dice.below(20));
    const { fate } = await send('POST', `${path}/advance`, { by: `${by}ms` });
    const moved = [...possible].map((ms) => ms + by);
    if (fate === 'stored') possible = new Set(moved);
    if (fate === 'unknown') possible = new Set([...possible, ...moved]);
  }

  /** All that was accepted becomes due, and happens: what was lost would be missing. */
  async function finish(send: Send, url: string): Promise<void> {
    const { body, how } = await send('POST', `${path}/advance`, { until: 'idle' });
    if (body?.pending !== 0) ledger.violate(`${project} does not become idle: ${how}`);
    possible = new Set([Date.parse(body?.now)]);
    const there = await listJobs(url, project);
    for (const id of accepted) {
      const isDone = id.startsWith('FAIL-') ? callbacks.isTold(id) : there.has(id);
      if (!isDone) ledger.violate(`${project}/${id} was due, and did not happen`);
    }
  }

  return {
    begin: async (send) => {
      const { body, how } = await send('PUT', path, { mode: 'frozen' });
      if (body === undefined) ledger.violate(`${project}: ${how}`);
      else possible.add(Date.parse(body.now));
    },
    step: async (send) => {
      if (dice.often(30)) return look(send, 'read');
      // Without work that is due, a move is all or nothing, whenever it is applied.
      if (!isShared) await importLater(send);
      await move(send);
    },
    check: async (send, url) => {
      await look(send, 'at the end');
      // A move that is applied late would come after it.
      if (!isShared) await finish(send, url);
    },
  };
}
