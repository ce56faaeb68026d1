/** Compares the settings that all replicas must share, and keeps the secret that they share. */
import { hash, randomBytes } from 'node:crypto';
import { ConfigError } from '../config/config-error.ts';
import type { ClusterDatabase } from './database/cluster-database.ts';

/** Settings that must be the same everywhere, by the option that sets them. */
export interface SharedSettings {
  readonly seed: string;
  readonly profile: unknown;
  readonly apiKeys: readonly string[];
}

const names = ['--seed', '--profile', '--api-key'] as const;

/** Options that may differ while one replica after the other is updated. */
const rollingNames: readonly string[] = ['--profile', '--api-key'];

/** Returns a text that reveals no key, to compare with those of the other replicas. */
export function toSettingsText({ seed, profile, apiKeys }: SharedSettings): string {
  const values = [seed, JSON.stringify(profile), JSON.stringify(apiKeys.toSorted())];
  return values.map((value) => hash('sha256', value, 'hex').slice(0, 32)).join(':');
}

/** @throws ConfigError if these settings differ from those of other replicas */
export function checkSettings(own: string, others: readonly string[], isRolling: boolean): void {
  const parts = own.split(':');
  const differing = names.filter((_, index) => others.some((other) => other.split(':')[index] !== parts[index]));
  const refused = isRolling ? differing.filter((name) => !rollingNames.includes(name)) : differing;
  if (refused.length === 0) return;
  const remedy = (name: string): string =>
    rollingNames.includes(name) ? '; --rolling permits it during an update' : '';
  throw new ConfigError(
    refused.map((name) => `${name}: differs from that of the servers that share this database${remedy(name)}`),
  );
}

/** Returns the secret by which replicas know each other; the first one creates it. */
export function shareSecret(database: Settings): Promise<string> {
  return readOrStore(database, 'secret', randomBytes(32).toString('base64url'));
}

type Settings = Pick<ClusterDatabase, 'read' | 'store'>;

/** Version of what is stored in the database. */
export const databaseFormat = '3';

/** @throws ConfigError if another version of the program has written the database in a form that this one cannot read */
export async function checkFormat(database: Settings): Promise<void> {
  const found = await readOrStore(database, 'format', databaseFormat);
  if (found === databaseFormat) return;
  throw new ConfigError([
    `--postgres: the projects in this database have format ${found}, expected ${databaseFormat}: another version of field-sandbox wrote them; use that version, another database, or drop the schema field_sandbox`,
  ]);
}

async function readOrStore(database: Settings, key: string, value: string): Promise<string> {
  await database.store(key, 0, value);
  return (await database.read(key))?.value ?? value;
}
