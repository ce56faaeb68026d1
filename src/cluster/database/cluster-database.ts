/** Defines what replicas keep in their database. Each call is one atomic step; no other means of coordination exists. */

/** A replica that takes part: its id, and where the others reach it. */
export interface Replica {
  readonly id: string;
  /** Base URL of its cluster port. */
  readonly url: string;
}

/** A replica with how long it has not renewed its lease, in milliseconds. */
export interface LivingReplica extends Replica {
  readonly silentMs: number;
}

export interface NewReplica extends Replica {
  readonly leaseMs: number;
  /** What all replicas must share, as hashes. */
  readonly settings: string;
}

/** One line of a project's log: a whole project, changes of it, or its end. */
export interface ProjectWrite {
  readonly project: string;
  /** The claim under which it is written. A project that was claimed by another replica since refuses it. */
  readonly epoch: number;
  /** Number of the line, one more than that of the line before. */
  readonly seq: number;
  readonly kind: 'whole' | 'changes' | 'removal';
  readonly text: string;
  /** What the journal has stored since the line before; only with changes. Empty if nothing. */
  readonly items: string;
  /** The highest number of these items. Null: there are none. */
  readonly newest: number | null;
  /** With a whole line: the number of the oldest item that the journal still has. Lines with older ones only are removed. */
  readonly oldest: number;
  /** Whether the project has work that must go on without a request. */
  readonly isDue: boolean;
}

/** The log of a project. */
export interface StoredLog {
  /** The last whole line and those after it; empty if the project does not exist yet. */
  readonly lines: readonly string[];
  /** The items of all lines, in the order in which they were written. */
  readonly items: readonly string[];
}

/** The result of a claim: the project with its log, or its owner. */
export type Claim =
  | ({
      readonly owner: 'me';
      readonly epoch: number;
      readonly seq: number;
    } & StoredLog)
  | { readonly owner: 'other'; readonly replica: Replica; readonly epoch: number }
  /** This replica is fenced. */
  | { readonly owner: 'fenced' };

/** Where a project is. */
export interface Place {
  /** The living replica that owns it; undefined if none does. */
  readonly replica: Replica | undefined;
  /** The latest claim. */
  readonly epoch: number;
  /** Number of its last line. */
  readonly seq: number;
  /** Whether it has lines. */
  readonly isWritten: boolean;
}

/** A project by its position in order of creation. */
export interface ListedProject {
  readonly id: string;
  readonly ordinal: number;
  /**
   * What its last owner has stored about it when it gave the project up. Undefined if the project has an owner, or if its
   * owner has ended without giving it up.
   */
  readonly summary: string | undefined;
}

export type WriteResult = 'written' | 'unknown' | 'lost';

/** Who owns projects, and their logs. */
export interface ProjectTables {
  /** Returns where a project is; undefined if it does not exist. */
  locate(project: string): Promise<Place | undefined>;
  /** Takes a project that no other living replica owns, and creates it if it does not exist. */
  claim(project: string, replica: string): Promise<Claim>;
  /**
   * Writes lines of different projects. Returns what became of each: `written`; `unknown` if the answer to an earlier
   * attempt was lost and the project is lost since; or `lost`: it is not written.
   */
  write(lines: readonly ProjectWrite[]): Promise<ReadonlyMap<string, WriteResult>>;
  /** Gives a project up, so that any replica may claim it, and ends the claim; one without lines ends to exist. */
  release(project: string, epoch: number, summary?: string): Promise<void>;
  /** Asks the owner of a project to release it, because this replica cannot reach the owner. */
  want(project: string, replica: string): Promise<void>;
  /** Lists this replica's projects that others want. */
  listWanted(replica: string): Promise<readonly string[]>;
  /** Lists projects with work that must go on, and without a living owner. */
  listOrphans(max: number): Promise<readonly string[]>;
  /** Removes all projects of all replicas. Returns those that were written. */
  removeAll(): Promise<readonly string[]>;
  /** Lists written projects after a position, in order of creation. */
  listProjects(after: number, max: number): Promise<readonly ListedProject[]>;
  /** Lists written projects that a glob names, and maybe others, that precede another one in order of creation. */
  listEarlier(globs: readonly string[], project: string): Promise<readonly string[]>;
}

export interface ClusterDatabase extends ProjectTables {
  /** Adds a replica. Returns the settings of the other living ones. */
  join(replica: NewReplica): Promise<readonly string[]>;
  /** Renews the lease of a replica. Returns false if it was fenced. */
  renew(replica: string, leaseMs: number): Promise<boolean>;
  /** Fences replicas whose lease has ended, for good, and returns the others. */
  listLiving(leaseMs: number): Promise<readonly LivingReplica[]>;
  /** Fences a replica that has not renewed its lease for this time. Returns whether it is fenced now. */
  fenceSilent(replica: string, silentMs: number): Promise<boolean>;
  isUnfenced(replica: string): Promise<boolean>;
  /** Removes a replica that has handed over all its projects. */
  leave(replica: string): Promise<void>;

  /** Returns a shared setting with its version, or undefined if it has none after this one. */
  read(key: string, after?: number): Promise<{ readonly version: number; readonly value: string } | undefined>;
  /** Stores a shared setting if its version is still this one; 0 if it does not exist. Returns whether it did. */
  store(key: string, version: number, value: string): Promise<boolean>;
  close(): Promise<void>;
}
