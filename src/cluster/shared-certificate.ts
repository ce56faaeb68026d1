/** Lets all replicas use one certificate, so that clients trust each of them. */
import { X509Certificate } from 'node:crypto';
import type { Certificate, ShareCertificate } from '../http/tls/certificate.ts';
import type { WallClock } from '../lib/time.ts';
import type { SharedValue } from './shared-value.ts';

export interface StoredCertificate extends Certificate {
  readonly names: readonly string[];
}

/** A certificate that expires sooner is replaced, in milliseconds. */
const renewMs = 60 * 24 * 3_600_000;

/** Creates a function that returns the shared certificate if it is good for all names, and otherwise shares a new one. */
export function createShareCertificate(
  shared: SharedValue<StoredCertificate | null>,
  wall: Pick<WallClock, 'now'>,
): ShareCertificate {
  return async (names, create) => {
    for (;;) {
      await shared.refresh();
      const stored = shared.current;
      if (stored && names.every((name) => stored.names.includes(name)) && !isEnding(stored, wall.now())) return stored;
      // Replicas that have the old one go on with the new one, so it keeps their names.
      const all = [...new Set([...(stored?.names ?? []), ...names])];
      const created: StoredCertificate = { names: all, ...(await create(all)) };
      await shared.update((latest) => (latest?.cert === stored?.cert ? created : latest));
    }
  };
}

function isEnding({ cert }: Certificate, nowMs: number): boolean {
  return Date.parse(new X509Certificate(cert).validTo) < nowMs + renewMs;
}
