/** Clients that import and change jobs for as long as there is a server, and know what was answered; then they look. */
import { expect } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import type { Dice } from '../model/dice.ts';

/** One client over all restarts. */
export interface Worker {
  /** What there has to be before it begins. */
  begin?(url: string): Promise<void>;
  /** Asks, one request after another, until there is no answer any more. */
  work(url: string): Promise<void>;
  /** Holds what there is after a restart against all that was answered. */
  check(url: string): Promise<void>;
  /** How many answers it had. */
  answers(): number;
}

export interface Site {
  readonly project: string;
  /** Begins all ids of this client, so that no two clients have one. */
  readonly name: string;
  readonly dice: Dice;
  /** Told of each answer's request id. */
  noteId(id: string | null): void;
}

/** Asks again and again until nobody answers; `step` gives back whether there was an answer. */
export async function untilGone(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

/** An answer, or undefined where the server has gone. */
export async function tryAsk(...request: Parameters<typeof ask>): Promise<Awaited<ReturnType<typeof ask>> | undefined> {
  return ask(...request).catch(() => undefined);
}

/** All records of a list, page by page. */
export async function listAll(
  url: string,
  project: string,
  list: string,
): Promise<Map<string, Record<string, unknown>>> {
  const found = new Map<string, Record<string, unknown>>();
  let cursor: string | undefined;
  do {
    const query = `limit=1000${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body } = await ask(`${url}/_sandbox/projects/${project}/${list}?${query}`, 'GET');
    expect(status).toBe(200);
    for (const item of body.items) found.set(item.id, item);
    cursor = body.next ?? undefined;
  } while (cursor !== undefined);
  return found;
}

const missing = (wanted: ReadonlySet<string>, there: { has(id: string): boolean }): readonly string[] =>
  [...wanted].filter((id) => !there.has(id));

/** Entries of all fates: taken, refused by a rule, refused by the contract. */
function drawJobs(dice: Dice, nextId: () => string): readonly Record<string, unknown>[] {
  return Array.from({ length: 1 + dice.below(6) }, () => {
    const filler = { secondaryReference: 'x'.repeat(dice.below(1500)) };
    if (dice.often(15)) return { id: `REFUSE-${nextId()}`, ...filler };
    if (dice.often(10)) return { id: nextId(), status: 'DELIVERD', ...filler };
    return { id: nextId(), ...filler };
  });
}

/** Imports that are carried out at once, some of which are refused, in part or as a whole. */
export function createImporter({ project, name, dice, noteId }: Site): Worker {
  const stored = new Set<string>();
  const refused = new Set<string>();
  let made = 0;
  const nextId = (): string => `${name}-${made++}`;

  async function step(url: string): Promise<boolean> {
    const jobs = drawJobs(dice, nextId);
    const isWhole = !dice.often(10);
    // A body without its list is refused, with all that is in it.
    const body = isWhole ? { jobs } : { jbos: jobs };
    const told = await tryAsk(`${url}/sync/projects/${project}/jobs/batch`, 'POST', body);
    if (!told) return false;
    expect(told.status).toBe(isWhole ? 200 : 400);
    noteId(told.id);
    const failed = new Set<string>(isWhole ? told.body.failed.map(({ id }: { id: string }) => id) : []);
    for (const { id } of jobs) (isWhole && !failed.has(String(id)) ? stored : refused).add(String(id));
    return true;
  }

  return {
    work: (url) => untilGone(() => step(url)),
    check: async (url) => {
      const there = await listAll(url, project, 'jobs');
      expect(missing(stored, there), 'what was answered as stored').toEqual([]);
      expect(
        [...refused].filter((id) => there.has(id)),
        'what was refused',
      ).toEqual([]);
    },
    answers: () => stored.size + refused.size,
  };
}

/** Imports that are carried out later, some of which fail then and are told of by callback. */
export function createLateImporter({ project, name, dice, noteId }: Site, told: ReadonlyMap<string, unknown>): Worker {
  const accepted = new Set<string>();
  const failing = new Set<string>();
  let made = 0;

  async function step(url: string): Promise<boolean> {
    const ids = Array.from({ length: 1 + dice.below(3) }, () => `${dice.often(40) ? 'FAIL-' : ''}${name}-${made++}`);
    const jobs = ids.map((id) => ({ id }));
    const answer = await tryAsk(`${url}/async/projects/${project}/jobs`, 'POST', { jobs });
    if (!answer) return false;
    expect([answer.status, answer.body.failed]).toEqual([202, []]);
    noteId(answer.id);
    for (const id of ids) (id.startsWith('FAIL-') ? failing : accepted).add(id);
    return true;
  }

  return {
    work: (url) => untilGone(() => step(url)),
    check: async (url) => {
      const late = { timeout: 15_000, interval: 50 };
      await expect
        .poll(async () => missing(accepted, await listAll(url, project, 'jobs')), { ...late, message: 'accepted' })
        .toEqual([]);
      await expect.poll(() => missing(failing, told), { ...late, message: 'told by callback' }).toEqual([]);
      const there = await listAll(url, project, 'jobs');
      expect(
        [...failing].filter((id) => there.has(id)),
        'what failed',
      ).toEqual([]);
    },
    answers: () => accepted.size + failing.size,
  };
}

/** Changes the same few jobs over and over, with so much text that the log is folded every few requests. */
export function createUpdater({ project, name, dice, noteId }: Site): Worker {
  const ids = Array.from({ length: 4 }, (_, index) => `${name}-${index}`);
  const known = new Map(ids.map((id) => [id, 0]));
  const asked = new Map(ids.map((id) => [id, 0]));
  let answers = 0;

  async function step(url: string): Promise<boolean> {
    const id = dice.of(ids);
    const revision = (asked.get(id) ?? 0) + 1;
    asked.set(id, revision);
    const jobs = [{ id, secondaryReference: `${revision} ${'y'.repeat(10_000 + dice.below(20_000))}` }];
    const told = await tryAsk(`${url}/sync/projects/${project}/jobs/batch`, 'PATCH', { jobs });
    if (!told) return false;
    expect([told.status, told.body.failed]).toEqual([200, []]);
    noteId(told.id);
    known.set(id, revision);
    answers += 1;
    return true;
  }

  return {
    begin: async (url) => {
      const jobs = ids.map((id) => ({ id, secondaryReference: '0 ' }));
      expect((await ask(`${url}/sync/projects/${project}/jobs/batch`, 'POST', { jobs })).status).toBe(200);
    },
    work: (url) => untilGone(() => step(url)),
    check: async (url) => {
      const there = await listAll(url, project, 'jobs');
      for (const id of ids) {
        const kept = Number(String(there.get(id)?.['secondaryReference']).split(' ')[0]);
        expect(kept, `the last change of ${id}`).toBeGreaterThanOrEqual(known.get(id) ?? 0);
        expect(kept).toBeLessThanOrEqual(asked.get(id) ?? 0);
      }
    },
    answers: () => answers,
  };
}
