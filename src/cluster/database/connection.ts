/** Sends statements to PostgreSQL. */
import pg from 'pg';
import { pause, type WallClock } from '../../lib/time.ts';
import { timers } from '../../lib/timers.ts';
import { createPatience, type DatabaseNotices, minMs } from './patience.ts';
import { migrate } from './schema.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement that may run twice. It is prepared under its name at its first use on a connection. */
type Run = (name: string, text: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;

export interface Connection {
  readonly run: Run;
  /** As `run`. Calls `onAttempt` before each attempt. */
  runNoting(onAttempt: () => void, ...statement: Parameters<Run>): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const connectMs = 2000;
/** Longer than any statement takes; a connection that was cut without notice is given up then. */
const queryMs = 5000;
const maxConnections = 8;

/**
 * Every statement finds its rows by an index. Otherwise a plan that was made for a small table would read all of it when it
 * is large. Such plans seem expensive, and would be compiled.
 */
const plansByIndex = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off';

/**
 * Connects, and creates the tables.
 * @throws StoreUnavailable if the server cannot be reached in time
 * @throws Error if it refuses, such as for a wrong password
 */
export async function connect(url: string, wall: WallClock, notices: DatabaseNotices): Promise<Connection> {
  // Reads the files that the URL names, which no wait brings.
  new pg.Client(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    keepAlive: true,
    application_name: 'field-sandbox',
    allowExitOnIdle: true,
    onConnect: (client) => client.query(plansByIndex),
  });
  // A lost connection that nobody uses is replaced at the next statement.
  pool.on('error', () => undefined);
  const patient = createPatience(wall, notices);
  // Nothing else keeps the process alive while the start waits for the database.
  const awake = timers.setInterval(() => undefined, minMs);

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
  } finally {
    timers.clearInterval(awake);
  }
  const runNoting: Connection['runNoting'] = (onAttempt, name, text, ...values) =>
    patient(async () => {
      onAttempt();
      return (await pool.query<Row>({ name, text, values })).rows;
    });
  return {
    run: (...statement) => runNoting(() => undefined, ...statement),
    runNoting,
    // A connection that was cut without notice never ends.
    close: () => Promise.race([pool.end(), pause(wall, minMs)]),
  };
}
