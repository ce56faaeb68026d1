/** Runs a real PostgreSQL server in a temporary folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createDatabase } from './databases.ts';
import { findFreePort } from './free-port.ts';
import { findPostgresUser, postgresFolder } from './postgres-binaries.ts';

export interface PostgresOptions {
  /** `template` of another server, whose files are copied. Without it, the start takes a second longer. */
  readonly template?: string;
  /** Lines of `postgresql.conf`: `{ fsync: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Postgres {
  /** Database `postgres`, as superuser. The port is the same after a restart. */
  readonly url: string;
  /** Files of an empty server, for other servers. They exist as long as the first one runs. */
  readonly template: string;
  /** Creates an empty database, and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** `fast` ends all connections cleanly. `immediate` is a crash: the server recovers from its log. */
  restart(mode: 'immediate' | 'fast'): Promise<void>;
  /** Ends the server, and deletes its folder. */
  stop(): Promise<void>;
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '16MB',
  max_connections: '100',
};

/** Ends the server and deletes its folder when standard input ends, which it also does when the test is killed. */
const guardScript = `read -r _
"$1" stop -D data -m immediate -s 2>/dev/null
cd / && rm -rf "$2"`;

/** Starts a server on a free port of the loopback address. It ends with this process at the latest. */
export async function startPostgres({ template, settings = {} }: PostgresOptions = {}): Promise<Postgres> {
  const folder = createFolder();
  const guard = startGuard(folder);
  const end = async (): Promise<void> => {
    guard.ref();
    guard.stdin?.end();
    if (guard.exitCode === null) await once(guard, 'exit');
  };
  try {
    const files = template ?? (await createTemplate(folder));
    await run(folder, 'cp', ['-a', files, path.join(folder, 'data')]);
    const port = await startOnFreePort(folder, settings);
    const controls = createControls(folder, `postgresql://postgres@127.0.0.1:${port}/postgres`);
    return { ...controls, template: files, stop: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Creates a temporary folder that the server's user may write. */
function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-postgres-'));
  const { uid, gid } = findPostgresUser();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

async function createTemplate(folder: string): Promise<string> {
  const files = path.join(folder, 'template');
  const login = ['--username=postgres', '--auth=trust'];
  await run(folder, 'initdb', [
    '-D',
    files,
    ...login,
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
    '--wal-segsize=4',
  ]);
  return files;
}

function createControls(folder: string, url: string): Omit<Postgres, 'stop' | 'template'> {
  return {
    url,
    createDatabase: (name) => createDatabase(url, name),
    restart: (mode) => control(folder, ['restart', '-m', mode]),
  };
}

/** Another process may take the port before the server does. */
async function startOnFreePort(folder: string, settings: Readonly<Record<string, string>>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    const lines = Object.entries({ ...defaultSettings, ...settings, port: String(port) });
    const text = lines.map(([name, value]) => `${name} = '${value}'\n`).join('');
    appendFileSync(path.join(folder, 'data/postgresql.conf'), text);
    try {
      await control(folder, ['start']);
      return port;
    } catch (error) {
      if (attempt === 3 || !String(error).includes('Address already in use')) throw error;
    }
  }
}

/** Runs `pg_ctl`, which waits until the server accepts connections. */
async function control(folder: string, args: readonly string[]): Promise<void> {
  const log = path.join(folder, 'log');
  try {
    await run(folder, 'pg_ctl', [...args, '-D', path.join(folder, 'data'), '-w', '-s', '-l', log]);
  } catch (error) {
    throw new Error(`PostgreSQL: ${args.join(' ')} failed: ${readFileSync(log, 'utf8')}`, { cause: error });
  }
}

async function run(folder: string, program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(toPath(program), args, { cwd: folder, env, ...findPostgresUser() });
}

function startGuard(folder: string): ChildProcess {
  const guard = spawn('sh', ['-c', guardScript, 'sh', toPath('pg_ctl'), folder], {
    cwd: folder,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C must not end it before it has ended the server.
    detached: true,
    ...findPostgresUser(),
  });
  guard.unref();
  return guard;
}

/** Without variables such as PGPORT, which change what the programs do. */
const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };

function toPath(program: string): string {
  if (postgresFolder === undefined) throw new Error('PostgreSQL is not installed. Check postgresIsMissing first.');
  return program === 'cp' ? program : path.join(postgresFolder, program);
}
