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
}

const full: Amounts = {
  kills: 50,
  slowClients: 250,
  deafClients: 50,
  idleConnections: 5000,
  hurry: 1,
  starts: 6,
  rivalries: 5,
  signals: 15,
  callbacks: 6,
  turns: 20,
  pauses: 10,
  copies: 30,
};

const short: Amounts = {
  kills: 10,
  slowClients: 50,
  deafClients: 10,
  idleConnections: 1000,
  hurry: 10,
  starts: 3,
  rivalries: 1,
  signals: 3,
  callbacks: 2,
  turns: 6,
  pauses: 2,
  copies: 5,
};

/** The amounts of a mode of vitest. */
export function amountsOf(mode: string): Amounts {
  return mode === 'short' ? short : full;
}

declare module 'vitest' {
  interface ProvidedContext {
    amounts: Amounts;
    seed: number;
  }
}
