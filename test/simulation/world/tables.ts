/** The tables of the replicas' database, in memory: each function does what one statement of `postgres.ts` does. */
import type {
  ListedProject,
  LivingReplica,
  NewReplica,
  Place,
  ProjectWrite,
} from '../../../src/cluster/database/cluster-database.ts';
import { matchesAny } from '../../../src/scenarios/glob.ts';

interface ReplicaRow {
  readonly url: string;
  readonly settings: string;
  renewedAt: number;
  expiresAt: number;
  fenced: boolean;
}

interface ProjectRow {
  ordinal: number;
  owner: string | undefined;
  epoch: number;
  seq: number;
  dueAt: number | undefined;
  wantedBy: string | undefined;
  summary?: string | undefined;
}

export interface LogRow extends Pick<ProjectWrite, 'seq' | 'epoch' | 'text' | 'items' | 'newest'> {
  readonly isWhole: boolean;
}

export interface Position {
  readonly epoch: number;
  readonly seq: number;
}

export interface Tables {
  join(replica: NewReplica): void;
  settingsOfOthers(replica: string): readonly string[];
  renew(replica: string, leaseMs: number): boolean;
  listLiving(leaseMs: number): readonly LivingReplica[];
  fenceSilent(replica: string, silentMs: number): boolean;
  isUnfenced(replica: string): boolean;
  leave(replica: string): void;
  locate(project: string): Place | undefined;
  /** Returns the new position; undefined if the claim is refused. */
  claim(project: string, replica: string): Position | undefined;
  /** Returns the last whole line and those after it. */
  readLog(project: string): readonly LogRow[];
  readItems(project: string): readonly string[];
  /** Writes lines whose project is at the position before. Returns the projects of those. */
  write(lines: readonly ProjectWrite[]): ReadonlySet<string>;
  positionOf(project: string): Position | undefined;
  release(project: string, epoch: number, summary: string | undefined): void;
  listProjects(after: number, max: number): readonly ListedProject[];
  listEarlier(globs: readonly string[], project: string): readonly string[];
  want(project: string, replica: string): void;
  listWanted(replica: string): readonly string[];
  listOrphans(max: number): readonly string[];
  removeAll(): readonly string[];
  read(key: string, after?: number): { readonly version: number; readonly value: string } | undefined;
  store(key: string, version: number, value: string): boolean;
  /** The server starts again: nobody could renew a lease until now. */
  restart(): void;
  /** Whether replicas own projects, for checks. */
  ownerOf(project: string): string | undefined;
}

export function createTables(now: () => number): Tables {
  const replicas = new Map<string, ReplicaRow>();
  const projects = new Map<string, ProjectRow>();
  const logs = new Map<string, LogRow[]>();
  const settings = new Map<string, { readonly version: number; readonly value: string }>();
  let startedAt = Number.NEGATIVE_INFINITY;
  let ordinals = 0;
  let epochs = 0;

  const nextOrdinal = (): number => {
    ordinals += 1;
    return ordinals;
  };
  const isUnfenced = (id: string | undefined): boolean => id !== undefined && replicas.get(id)?.fenced === false;
  const isWritten = (project: string): boolean => (logs.get(project) ?? []).length > 0;
  const sorted = (ids: Iterable<string>): readonly string[] => [...ids].toSorted();

  function applyLine({ project, epoch, seq, kind, text, items, newest, oldest, isDue }: ProjectWrite): boolean {
    const row = projects.get(project);
    if (row?.epoch !== epoch || row.seq !== seq - 1) return false;
    row.seq = seq;
    row.dueAt = isDue ? (row.dueAt ?? now()) : undefined;
    if (kind === 'removal') row.ordinal = nextOrdinal();
    const isWhole = kind === 'whole';
    const isKept = (line: LogRow): boolean => !line.isWhole && line.newest !== null && line.newest >= oldest;
    const before = (logs.get(project) ?? []).filter((line) => !isWhole || isKept(line));
    logs.set(project, kind === 'removal' ? [] : [...before, { seq, epoch, isWhole, text, items, newest }]);
    return true;
  }

  return {
    join: ({ id, url, leaseMs, settings }) => {
      const existing = replicas.get(id);
      const times = { renewedAt: now(), expiresAt: now() + leaseMs };
      if (existing) Object.assign(existing, times);
      else replicas.set(id, { url, settings, fenced: false, ...times });
    },
    settingsOfOthers: (id) => {
      const others = [...replicas].filter(([one, row]) => one !== id && !row.fenced && row.expiresAt > now());
      return [...new Set(others.map(([, row]) => row.settings))];
    },
    renew: (id, leaseMs) => {
      const row = replicas.get(id);
      if (!row || row.fenced) return false;
      Object.assign(row, { renewedAt: now(), expiresAt: now() + leaseMs });
      return true;
    },
    listLiving: (leaseMs) => {
      if (startedAt < now() - leaseMs) for (const row of replicas.values()) row.fenced ||= row.expiresAt < now();
      const living = [...replicas].filter(([, { fenced }]) => !fenced).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return living.map(([id, { url, renewedAt }]) => ({ id, url, silentMs: Math.round(now() - renewedAt) }));
    },
    fenceSilent: (id, silentMs) => {
      const row = replicas.get(id);
      if (!row) return true;
      row.fenced ||= row.renewedAt < now() - silentMs;
      return row.fenced;
    },
    isUnfenced,
    leave: (id) => void replicas.delete(id),
    locate: (project) => {
      const row = projects.get(project);
      if (!row) return undefined;
      const { owner, epoch, seq } = row;
      const isOwned = owner !== undefined && isUnfenced(owner);
      const replica = isOwned ? { id: owner, url: replicas.get(owner)?.url ?? '' } : undefined;
      return { replica, epoch, seq, isWritten: isWritten(project) };
    },
    claim: (project, replica) => {
      if (!isUnfenced(replica)) return undefined;
      const row = projects.get(project);
      if (row && row.owner !== replica && isUnfenced(row.owner)) return undefined;
      epochs += 1;
      const created = row ?? { ordinal: nextOrdinal(), owner: replica, epoch: 0, seq: 0, dueAt: undefined };
      projects.set(project, { ...created, owner: replica, epoch: epochs, wantedBy: undefined, summary: undefined });
      return { epoch: epochs, seq: created.seq };
    },
    readLog: (project) => {
      const rows = logs.get(project) ?? [];
      const whole = rows.findLastIndex(({ isWhole }) => isWhole);
      return whole < 0 ? [] : rows.slice(whole);
    },
    readItems: (project) => (logs.get(project) ?? []).flatMap(({ items }) => items || []),
    write: (lines) => new Set(lines.filter(applyLine).map(({ project }) => project)),
    positionOf: (project) => projects.get(project),
    release: (project, epoch, summary) => {
      const row = projects.get(project);
      if (row?.epoch !== epoch) return;
      epochs += 1;
      if (isWritten(project)) Object.assign(row, { owner: undefined, epoch: epochs, wantedBy: undefined, summary });
      else projects.delete(project);
    },
    listProjects: (after, max) =>
      [...projects]
        .map(([id, { ordinal, summary }]) => ({ id, ordinal, summary }))
        .filter(({ id, ordinal }) => ordinal > after && isWritten(id))
        .toSorted((a, b) => a.ordinal - b.ordinal)
        .slice(0, max),
    listEarlier: (globs, project) => {
      const before = projects.get(project)?.ordinal ?? 0;
      const earlier = [...projects].filter(([id, { ordinal }]) => ordinal < before && isWritten(id));
      return earlier.map(([id]) => id).filter((id) => matchesAny(globs, id));
    },
    want: (project, replica) => {
      const row = projects.get(project);
      if (row) row.wantedBy = replica;
    },
    listWanted: (replica) =>
      sorted(
        [...projects]
          .filter(([, { owner, wantedBy }]) => owner === replica && wantedBy !== undefined && wantedBy !== replica)
          .map(([project]) => project),
      ),
    listOrphans: (max) =>
      [...projects]
        .filter(([, { dueAt, owner }]) => dueAt !== undefined && !isUnfenced(owner))
        .toSorted(([, a], [, b]) => (a.dueAt ?? 0) - (b.dueAt ?? 0))
        .slice(0, max)
        .map(([project]) => project),
    removeAll: () => {
      const written = [...projects.keys()].filter(isWritten);
      projects.clear();
      logs.clear();
      return written;
    },
    read: (key, after = 0) => {
      const stored = settings.get(key);
      return stored && stored.version > after ? stored : undefined;
    },
    store: (key, version, value) => {
      const stored = settings.get(key) ?? { version: 0, value: '' };
      if (stored.version === version + 1 && stored.value === value) return true;
      if (stored.version !== version) return false;
      settings.set(key, { version: version + 1, value });
      return true;
    },
    restart: () => {
      startedAt = now();
    },
    ownerOf: (project) => projects.get(project)?.owner,
  };
}
