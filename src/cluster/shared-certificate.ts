/** Lets all replicas use one certificate, so that clients trust each of them. */
import { X509Certificate } from 'node:crypto';
import type { Certificate, ShareCertificate } from '../http/tls/certificate.ts';
import type { WallClock } from '../lib/time.ts';
import type { ClusterDatabase } from './database/cluster-database.ts';

interface StoredCertificate extends Certificate {
  readonly names: readonly string[];
}

/** A certificate that expires sooner is replaced, in milliseconds. */
const renewMs = 60 * 24 * 3_600_000;

/** Creates a function that returns the stored certificate if it is good for all names, and otherwise stores a new one. */
export function createShareCertificate(
  database: Pick<ClusterDatabase, 'read' | 'store'>,
  wall: Pick<WallClock, 'now'>,
): ShareCertificate {
  return async (names, create) => {
    for (;;) {
      const row = await database.read('certificate');
      const stored = row && (JSON.parse(row.value) as StoredCertificate);
      const isUsable = stored && names.every((name) => stored.names.includes(name)) && !isEnding(stored, wall.now());
      if (isUsable) return stored;
      // Replicas that use the old one keep the names that it has.
      const all = [...new Set([...(stored?.names ?? []), ...names])];
      const created: StoredCertificate = { names: all, ...(await create(all)) };
      if (await database.store('certificate', row?.version ?? 0, JSON.stringify(created))) return created;
    }
  };
}

function isEnding({ cert }: Certificate, nowMs: number): boolean {
  return Date.parse(new X509Certificate(cert).validTo) < nowMs + renewMs;
}
