/** Sends statements to PostgreSQL, and waits while it restarts. */
import pg from 'pg';
import type { WallClock } from '../../lib/time.ts';
import { StoreUnavailable } from '../../project/persistence/store-errors.ts';
import { migrate } from './schema.ts';

export interface Statement {
  /** Prepared under this name at its first use on a connection. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type Row = Readonly<Record<string, unknown>>;

export interface Connection {
  /** Runs a statement that may run twice. */
  query(statement: Statement): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** How long a request waits for the database, in milliseconds. */
export const patienceMs = 12_000;

const pauseMs = 100;
const connectMs = 2000;
/** Longer than any statement takes; a connection that was cut without notice is given up then. */
const queryMs = 5000;
const maxConnections = 8;

/** SQLSTATE codes of a server that starts, stops or is full, and of statements that it ended to resolve a conflict. */
const passing = /^(08|57P0|53300|40001|40P01|25006)/;

/**
 * Connects, and creates the tables.
 * @throws StoreUnavailable if the server cannot be reached in time
 * @throws Error if it refuses, such as for a wrong password
 */
export async function connect(url: string, wall: WallClock): Promise<Connection> {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    keepAlive: true,
    application_name: 'field-sandbox',
    allowExitOnIdle: true,
  });
  // A lost connection that nobody uses is replaced at the next statement.
  pool.on('error', () => undefined);
  const patient = createPatience(wall);

  try {
    await patient(async () => {
      const client = await pool.connect();
      try {
        await migrate(client);
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    query: ({ name, text, values }) =>
      patient(async () => (await pool.query<Row>({ name, text, values: [...values] })).rows),
    close: () => pool.end(),
  };
}

/** Creates a function that runs an operation again while the database is away, as long as a request may wait. */
export function createPatience(wall: WallClock): <Value>(operation: () => Promise<Value>) => Promise<Value> {
  return async (operation) => {
    const until = wall.elapsed() + patienceMs;
    for (;;) {
      try {
        return await operation();
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (wall.elapsed() >= until) throw new StoreUnavailable(toReason(error), { cause: error });
        await new Promise<void>((resolve) => wall.after(pauseMs, resolve));
      }
    }
  };
}

function isPassing(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  // Errors of the connection have no code, or one of the system such as ECONNRESET.
  return code === undefined || passing.test(code) || /^E[A-Z]+$/.test(code);
}

function toReason(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return `the database cannot be reached (${code ?? message})`;
}
