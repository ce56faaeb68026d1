/** Finds the programs of PostgreSQL, and the user that may run them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const debianFolder = '/usr/lib/postgresql';

/** Folder of `initdb`, `pg_ctl` and `postgres`; undefined where PostgreSQL is not installed. */
export const postgresFolder: string | undefined = candidateFolders().find((folder) =>
  ['initdb', 'pg_ctl', 'postgres'].every((program) => existsSync(path.join(folder, program))),
);

/** Whether the tests that need PostgreSQL are skipped. */
export const postgresIsMissing: boolean = postgresFolder === undefined;

/** Newest version of Debian first: `pg_config` names a folder without the server where only the client is installed. */
function candidateFolders(): readonly string[] {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const ofDebian = versions.toSorted((a, b) => Number(b) - Number(a)).map((one) => path.join(debianFolder, one, 'bin'));
  // biome-ignore lint/style/noProcessEnv: there is no other list of the folders with programs
  const inPath = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return [...configuredFolder(), ...ofDebian, ...inPath];
}

function configuredFolder(): readonly string[] {
  try {
    return [execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()];
  } catch {
    return [];
  }
}

/** User and group of a process. Empty: those of this process. */
export interface ProcessUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Returns the user for the server, which refuses to run as root. */
export function findPostgresUser(): ProcessUser {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const found = ['postgres', 'nobody'].map((name) => users.find((line) => line.startsWith(`${name}:`))).find(Boolean);
  const [, , uid, gid] = found?.split(':') ?? [];
  if (uid === undefined)
    throw new Error('PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody"');
  return { uid: Number(uid), gid: Number(gid) };
}
