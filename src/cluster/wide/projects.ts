/** Lists the projects of all replicas, in order of creation. */
import type { Caller } from '../../control-api/caller.ts';
import { badCursor, type ControlParts, type ControlRequest } from '../../control-api/handler.ts';
import { defaultLimit, type OrderQuery } from '../../control-api/lists/order.ts';
import { showProject } from '../../control-api/projects.ts';
import { showSummary } from '../../control-api/saved-summary.ts';
import { type Reply, toControlProblemReply, toJsonReply } from '../../http/reply.ts';
import type { WallClock } from '../../lib/time.ts';
import { StoreUnavailable } from '../../project/persistence/store-errors.ts';
import type { ClusterDatabase, ListedProject } from '../database/cluster-database.ts';
import type { Membership } from '../membership.ts';
import type { Placement } from '../placement.ts';
import type { OwnedStore } from '../store/owned-store.ts';
import { type AskOthers, readBody } from './ask-others.ts';
import { toForwarded } from './question.ts';

/** A project at a replica: its summary; `none`: it does not exist; `elsewhere`: the replica does not own it. */
export type Found = { readonly shown: object } | 'none' | 'elsewhere';

interface Parts {
  readonly control: ControlParts;
  readonly database: Pick<ClusterDatabase, 'listProjects' | 'describe'>;
  readonly membership: Pick<Membership, 'id' | 'verify'>;
  readonly placement: Pick<Placement, 'locate'>;
  readonly store: Pick<OwnedStore, 'owns'>;
  readonly ask: AskOthers;
  readonly wall: WallClock;
}

/** Maximum number of ids that are filtered at once by what a caller may see. */
const maxScanned = 1000;
const patienceMs = 12_000;
const pauseMs = 100;

/** Summarises the projects that this replica owns. */
export async function findHere(
  { control, store, membership }: Pick<Parts, 'control' | 'store' | 'membership'>,
  ids: readonly string[],
  caller: Caller,
): Promise<readonly Found[]> {
  const found = ids.map((id): Found => {
    if (!store.owns(id)) return 'elsewhere';
    return control.projects.has(id) ? { shown: showProject(control, id, caller) } : 'none';
  });
  // What was read may be old: another replica may own the projects by now.
  await membership.verify();
  return found;
}

export async function listProjects(parts: Parts, request: ControlRequest): Promise<Reply> {
  const { limit = defaultLimit, cursor } = request.query as OrderQuery;
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) return toControlProblemReply(badCursor.problem);
  const items: { readonly ordinal: number; readonly shown: object }[] = [];
  let after = cursor === undefined ? -1 : Number(cursor);
  for (;;) {
    const wanted = limit + 1 - items.length;
    const { listed, next } = await listVisible(parts, request.caller, after, wanted);
    const shown = await showAll(parts, request, listed);
    for (const { id, ordinal } of listed) {
      const one = shown.get(id);
      if (one) items.push({ ordinal, shown: one });
    }
    if (items.length > limit || next === undefined) break;
    after = next;
  }
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return toJsonReply(200, {
    items: page.map(({ shown }) => shown),
    ...(items.length > limit && last && { next: String(last.ordinal) }),
  });
}

/** Lists projects that the caller may see. `next`: the position to go on from; undefined if there are no more. */
async function listVisible(
  { database }: Parts,
  { isAdmin, mayUse }: Caller,
  after: number,
  wanted: number,
): Promise<{ readonly listed: readonly ListedProject[]; readonly next: number | undefined }> {
  const max = isAdmin ? wanted : maxScanned;
  const all = await database.listProjects(after, max);
  const listed = all.filter(({ id }) => mayUse(id)).slice(0, wanted);
  const isWhole = listed.length < wanted;
  const next = isWhole ? (all.length < max ? undefined : all.at(-1)?.ordinal) : listed.at(-1)?.ordinal;
  return { listed, next };
}

/** Shows projects, each by its owner, or as it was when its last owner gave it up. Those that do not exist are missing. */
async function showAll(
  parts: Parts,
  request: ControlRequest,
  listed: readonly ListedProject[],
): Promise<ReadonlyMap<string, object>> {
  const { wall } = parts;
  const shown = new Map<string, object>();
  const until = wall.elapsed() + patienceMs;
  let ids: readonly string[] = listed.map(({ id }) => id);
  for (;;) {
    ids = await showReleased(parts, request, ids, shown);
    const found = ids.length === 0 ? [] : await findAnywhere(parts, request, ids);
    for (const [index, id] of ids.entries()) {
      const one = found[index];
      if (typeof one === 'object') shown.set(id, one.shown);
    }
    ids = ids.filter((_, index) => found[index] === 'elsewhere');
    if (ids.length === 0) return shown;
    if (wall.elapsed() >= until) throw new StoreUnavailable(moving);
    await new Promise<void>((resolve) => wall.after(pauseMs, resolve));
  }
}

/** Shows projects from their summaries. Returns those that a replica has, this one if their owner left no summary. */
async function showReleased(
  { database, placement, control }: Parts,
  request: ControlRequest,
  ids: readonly string[],
  shown: Map<string, object>,
): Promise<readonly string[]> {
  const owned: string[] = [];
  for (const { id, isOwned, summary } of await database.describe(ids)) {
    if (!isOwned && summary === undefined) await placement.locate(id, false);
    if (summary === undefined) owned.push(id);
    else shown.set(id, showSummary(control, summary, request.caller));
  }
  return owned;
}

/** Asks all replicas for projects. One that no replica owns, because it moves, is `elsewhere`. */
async function findAnywhere(parts: Parts, request: ControlRequest, ids: readonly string[]): Promise<readonly Found[]> {
  const own = await findHere(parts, ids, request.caller);
  const others = await parts.ask({ about: 'projects', ids, request: toForwarded(request) });
  const all = [own, ...others.map((reply) => readBody<readonly Found[]>(reply))];
  return ids.map((_, index) => all.map((found) => found[index]).find((one) => one !== 'elsewhere') ?? 'elsewhere');
}

const moving = 'projects are moving between the servers: send the request again';
