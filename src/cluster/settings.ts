/** Compares the settings that all replicas must share, and keeps the secret that they share. */
import { hash, randomBytes } from 'node:crypto';
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

/** Returns the options in which these settings differ from those of other replicas. */
export function findDifferences(own: string, others: readonly string[], isRolling: boolean): readonly string[] {
  const parts = own.split(':');
  const differing = names.filter((_, index) => others.some((other) => other.split(':')[index] !== parts[index]));
  return isRolling ? differing.filter((name) => !rollingNames.includes(name)) : differing;
}

/** Returns the secret by which replicas know each other; the first one creates it. */
export async function shareSecret(database: Pick<ClusterDatabase, 'read' | 'store'>): Promise<string> {
  const created = randomBytes(32).toString('base64url');
  for (;;) {
    const stored = await database.read('secret');
    if (stored) return stored.value;
    if (await database.store('secret', 0, created)) return created;
  }
}
