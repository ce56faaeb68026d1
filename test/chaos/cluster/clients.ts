/** Clients that change and read projects, one request after another, and hold each answer against the ones before. */
import type { Dice } from '../../model/dice.ts';
import type { Ledger } from './ledger.ts';
import type { Send } from './request.ts';

/** One client. */
export interface Client {
  /** What must be there before it starts. */
  begin?(): Promise<void>;
  step(): Promise<void>;
  /** Compares what is there with what was answered, through one replica. */
  check?(send: Send): Promise<void>;
}

export interface Site {
  readonly project: string;
  /** Starts all ids of this client, so that no two clients have one. */
  readonly name: string;
  readonly dice: Dice;
  readonly send: Send;
  readonly ledger: Ledger;
}

/** Imports jobs at once. A job that was imported twice would be rejected. */
export function createImporter({ project, name, dice, send, ledger }: Site): Client {
  let made = 0;
  return {
    step: async () => {
      const ids = Array.from({ length: 1 + dice.below(3) }, () => `${name}-${made++}`);
      const jobs = ids.map((id) => ({ id, secondaryReference: 'x'.repeat(dice.below(1500)) }));
      const answer = await send('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
      if (answer.body?.failed.length > 0) ledger.violate(`imported twice: ${answer.how}`);
      for (const id of ids) ledger.create({ project, id, ...answer });
    },
  };
}

/** Imports jobs that are processed later. Some fail then, and a callback reports them. */
export function createLateImporter({ project, name, dice, send, ledger }: Site): Client {
  let made = 0;
  return {
    step: async () => {
      const ids = Array.from({ length: 1 + dice.below(3) }, () => `${dice.often(50) ? 'FAIL-' : ''}${name}-${made++}`);
      const jobs = ids.map((id) => ({ id }));
      const answer = await send('POST', `/async/projects/${project}/jobs`, { jobs });
      if (answer.body?.failed.length > 0) ledger.violate(`accepted twice: ${answer.how}`);
      for (const id of ids) ledger.create({ project, id, ...answer }, id.startsWith('FAIL-'));
    },
  };
}

/** Changes one job again and again, and reads it. */
export function createUpdater({ project, name, dice, send, ledger }: Site): Client {
  const id = `${name}-0`;
  let asked = 0;
  let known = 0;
  /** Changes without an answer: they may be applied late. */
  const unknown = new Set<number>();

  async function look(by: Send, when: string): Promise<void> {
    const before = known;
    const { body, status, how } = await by('GET', `/_sandbox/projects/${project}/jobs/${id}`);
    if (status === 404) ledger.violate(`${when}: ${project}/${id} is gone, revision ${before} was answered`);
    if (body === undefined) return;
    const seen = Number(String(body.secondaryReference).split(' ')[0]);
    if (!(seen >= before && seen <= asked) && !unknown.has(seen))
      ledger.violate(`${when}: ${project}/${id} has ${seen}, not ${before} to ${asked}: ${how}`);
  }

  return {
    begin: async () => {
      const { how, fate } = await send('POST', `/sync/projects/${project}/jobs/batch`, {
        jobs: [{ id, secondaryReference: '0 ' }],
      });
      if (fate !== 'stored') ledger.violate(`${project}: ${how}`);
    },
    step: async () => {
      if (dice.often(50)) return look(send, 'read');
      asked += 1;
      const revision = asked;
      const jobs = [{ id, secondaryReference: `${revision} ${'y'.repeat(dice.below(20_000))}` }];
      const answer = await send('PATCH', `/sync/projects/${project}/jobs/batch`, { jobs });
      if (answer.fate === 'stored') known = revision;
      if (answer.fate === 'unknown') unknown.add(revision);
    },
    check: (by) => look(by, 'at the end'),
  };
}

/** Reads jobs soon after other clients have created them. */
export function createReader({ dice, send, ledger }: Site): Client {
  return {
    step: async () => {
      const latest = ledger.creations.slice(-50);
      if (latest.length === 0) return;
      const created = dice.of(latest);
      // Jobs that are processed later may not be there yet.
      if (created.fate === 'unknown' || !created.id.startsWith('i')) return;
      const { status, how } = await send('GET', `/_sandbox/projects/${created.project}/jobs/${created.id}`);
      const wrong = created.fate === 'stored' ? 404 : 200;
      if (status === wrong) ledger.violate(`read: ${JSON.stringify(created)} but ${how}`);
    },
  };
}

/** Moves a clock that stands still. Each move counts once. */
export function createClockMover({ project, dice, send, ledger }: Site): Client {
  const path = `/_sandbox/projects/${project}/clock`;
  /** Times at which the clock may be: several after a move without an answer, which may be applied late. */
  let possible = new Set<number>();

  async function look(by: Send, when: string): Promise<void> {
    const { body } = await by('GET', path);
    if (body === undefined) return;
    const now = Date.parse(body.now);
    if (!possible.has(now))
      ledger.violate(`${when}: the clock of ${project} is at ${body.now}, not at ${[...possible]}`);
    possible = new Set([...possible].filter((ms) => ms >= now));
  }

  return {
    begin: async () => {
      const { body, how } = await send('PUT', path, { mode: 'frozen' });
      if (body === undefined) ledger.violate(`${project}: ${how}`);
      else possible.add(Date.parse(body.now));
    },
    step: async () => {
      if (dice.often(30)) return look(send, 'read');
      const by = 1000 + dice.below(1000) * 1000;
      const { fate } = await send('POST', `${path}/advance`, { by: `${by / 1000}s` });
      const moved = [...possible].map((ms) => ms + by);
      if (fate === 'stored') possible = new Set(moved);
      if (fate === 'unknown') possible = new Set([...possible, ...moved]);
    },
    check: (by) => look(by, 'at the end'),
  };
}
