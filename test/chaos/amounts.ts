/** How much of each disturbance there is: in full, or in the short form that every check of the project runs. */

export interface Amounts {
  readonly kills: number;
  /** Slow clients of each kind. */
  readonly slowClients: number;
  /** Clients that read no answer. */
  readonly deafClients: number;
  readonly idleConnections: number;
  /** How many times shorter the server's patience with slow clients is made. */
  readonly hurry: number;
  /** Starts at once on one port, or one folder. */
  readonly starts: number;
  readonly rivalries: number;
  /** How often it is told to end, under load and while it starts. */
  readonly signals: number;
  /** Callbacks to each kind of bad receiver. */
  readonly callbacks: number;
  /** Turns of the machine's clock. */
  readonly turns: number;
  /** How often a server is paused until another takes its folder over. */
  readonly pauses: number;
  /** Of how many copies of its folder, made at answers, a server is started. */
  readonly copies: number;
  /** Milliseconds of load on replicas without a fault. */
  readonly calmMs: number;
  readonly replicaKills: number;
  /** How long replicas are paused. */
  readonly pausesMs: readonly number[];
  /** How long the ways to the database, and from the other replicas, are cut or hang. */
  readonly cutsMs: readonly number[];
  /** Crashes, and as many restarts, of the database. */
  readonly crashes: number;
  /** Rolling updates of all replicas. */
  readonly updates: number;
}

const table: { readonly [Name in keyof Amounts]: readonly [full: Amounts[Name], short: Amounts[Name]] } = {
  kills: [50, 10],
  slowClients: [250, 50],
  deafClients: [50, 10],
  idleConnections: [5000, 1000],
  hurry: [1, 10],
  starts: [6, 3],
  rivalries: [5, 1],
  signals: [15, 3],
  callbacks: [6, 2],
  turns: [20, 6],
  pauses: [10, 2],
  copies: [30, 5],
  calmMs: [10_000, 2000],
  replicaKills: [50, 3],
  pausesMs: [[3000, 8000, 60_000, 60_000], [7000]],
  cutsMs: [[1000, 4000, 10_000, 20_000], [7000]],
  crashes: [6, 1],
  updates: [4, 1],
};

/** The amounts of a mode of vitest. */
export function amountsOf(mode: string): Amounts {
  const column = mode === 'short' ? 1 : 0;
  return Object.fromEntries(Object.entries(table).map(([name, amounts]) => [name, amounts[column]])) as never;
}

declare module 'vitest' {
  interface ProvidedContext {
    amounts: Amounts;
    seed: number;
  }
}
