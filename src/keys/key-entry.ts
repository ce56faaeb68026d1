/** The keys as they are looked up: by the hash of their text. */
import { hash } from 'node:crypto';
import { parseKey } from '../config/keys.ts';
import { parseTimestamp } from '../lib/time.ts';
import { parseSize } from '../openapi/profile/profile.ts';
import { type ApiKey, type Grant, toProjectNames } from './api-key.ts';
import type { StoredKey } from './key-store.ts';

/** A key with the time of its last use, in milliseconds. */
export interface KeyEntry extends ApiKey {
  lastUsedMs: number | undefined;
  /** Whether it was created at run time. */
  readonly isCreated: boolean;
}

export function toEntry(key: StoredKey, usedMs: number | undefined): KeyEntry {
  const projects = toProjectNames(key.projects);
  const { limits } = key;
  return {
    id: key.id,
    grants: [{ region: key.region, projects }],
    limits: limits && { ...limits, bytes: limits.bytes === undefined ? undefined : parseSize(limits.bytes) },
    expiresAtMs: key.expiresAt === undefined ? undefined : parseTimestamp(key.expiresAt),
    hasGlob: projects !== undefined && projects.globs.length > 0,
    lastUsedMs: usedMs ?? parseTimestamp(key.lastUsedAt ?? ''),
    isCreated: true,
  };
}

/** Returns the keys of the options by their digests. A key that is given several times has all its grants. */
export function toOptionEntries(texts: readonly string[]): ReadonlyMap<string, KeyEntry> {
  const entries = new Map<string, KeyEntry>();
  for (const { key, region, projects } of texts.map(toParsed)) {
    const grant: Grant = { region, projects: projects && { exact: new Set(projects), globs: [] } };
    const digest = toDigest(key);
    const grants = [...(entries.get(digest)?.grants ?? []), grant];
    // Cookies of browsers contain the id.
    const id = `option_${hash('sha256', digest, 'hex')}`;
    entries.set(digest, {
      ...{ id, grants, limits: undefined, expiresAtMs: undefined },
      ...{ hasGlob: false, lastUsedMs: undefined, isCreated: false },
    });
  }
  return entries;
}

/** Parses a key of `--api-key`. @throws {Error} if it is invalid */
export function toParsed(text: string): Exclude<ReturnType<typeof parseKey>, string> {
  const parsed = parseKey(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
}

export function toDigest(key: string): string {
  return hash('sha256', key, 'base64');
}
