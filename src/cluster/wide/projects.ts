/** Lists the projects of all replicas, in order of creation. */
import type { Caller } from '../../control-api/caller.ts';
import { badCursor, type ControlParts, type ControlRequest } from '../../control-api/handler.ts';
import { defaultLimit, type OrderQuery } from '../../control-api/lists/order.ts';
import { showProject } from '../../control-api/projects.ts';
import { showSummary } from '../../control-api/saved-summary.ts';
import { type Reply, toControlProblemReply, toJsonReply } from '../../http/reply.ts';
import type { WallClock } from '../../lib/time.ts';
import { StoreUnavailable } from '../../project/persistence/store-errors.ts';
import type { ClusterDatabase, Described, ListedProject, Replica } from '../database/cluster-database.ts';
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
  readonly ask: Pick<AskOthers, 'one'>;
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
  const { database, membership, wall, control } = parts;
  const shown = new Map<string, object>();
  const until = wall.elapsed() + patienceMs;
  for (let ids = listed.map(({ id }) => id); ids.length > 0; ) {
    const described = await database.describe(ids);
    const byOwner = new Map<string, Owned>();
    for (const one of described) {
      const summary = toSummary(one);
      if (summary === undefined) groupOf(byOwner, one.owner).ids.push(one.id);
      else shown.set(one.id, showSummary(control, summary, request.caller));
    }
    const moved = await Promise.all(
      [...byOwner.values()].map(async ({ owner, ids: ofOwner }) => {
        const found = await findAt(parts, request, owner?.id === membership.id() ? undefined : owner, ofOwner);
        for (const [index, id] of ofOwner.entries()) {
          const one = found[index];
          if (typeof one === 'object') shown.set(id, one.shown);
        }
        return ofOwner.filter((_, index) => found[index] === 'elsewhere');
      }),
    );
    ids = moved.flat();
    if (ids.length === 0) break;
    if (wall.elapsed() >= until) throw new StoreUnavailable(moving);
    await new Promise<void>((resolve) => wall.after(pauseMs, resolve));
  }
  return shown;
}

const moving = 'projects are moving between the servers: send the request again';

function toSummary(one: Described): string | undefined {
  return one.owner ? undefined : one.summary;
}

/** Projects with the same owner. */
interface Owned {
  readonly owner: Replica | undefined;
  readonly ids: string[];
}

function groupOf(groups: Map<string, Owned>, owner: Replica | undefined): Owned {
  const key = owner?.id ?? '';
  const group = groups.get(key) ?? { owner, ids: [] };
  groups.set(key, group);
  return group;
}

/** Asks the owner of projects; without an owner, loads them here. */
async function findAt(
  parts: Parts,
  request: ControlRequest,
  owner: Replica | undefined,
  ids: readonly string[],
): Promise<readonly Found[]> {
  if (owner) {
    const reply = await parts.ask.one(owner, { about: 'projects', ids, request: toForwarded(request) });
    return reply ? readBody<readonly Found[]>(reply) : ids.map(() => 'elsewhere' as const);
  }
  await Promise.all(ids.map((id) => parts.placement.locate(id, false)));
  return findHere(parts, ids, request.caller);
}
