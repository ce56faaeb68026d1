/** How much of each fault there is for replicas: in full, or in the short form that every check of the project runs. */

export interface ClusterAmounts {
  /** Seconds of load without a fault. */
  readonly calmMs: number;
  readonly kills: number;
  /** How long replicas are paused. */
  readonly pausesMs: readonly number[];
  /** How long the ways to the database, and from the other replicas, are cut or hang. */
  readonly cutsMs: readonly number[];
  /** Crashes, and as many restarts, of the database. */
  readonly crashes: number;
  /** Rolling updates of all replicas. */
  readonly updates: number;
}

const full: ClusterAmounts = {
  calmMs: 10_000,
  kills: 50,
  pausesMs: [3000, 8000, 60_000, 60_000],
  cutsMs: [1000, 4000, 10_000, 20_000],
  crashes: 6,
  updates: 4,
};

const short: ClusterAmounts = {
  calmMs: 2000,
  kills: 3,
  pausesMs: [7000],
  cutsMs: [7000],
  crashes: 1,
  updates: 1,
};

/** The amounts of a mode of vitest. */
export function clusterAmountsOf(mode: string): ClusterAmounts {
  return mode === 'short' ? short : full;
}

declare module 'vitest' {
  interface ProvidedContext {
    clusterAmounts: ClusterAmounts;
  }
}
