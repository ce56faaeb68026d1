/** Gets the server's TLS certificate and key: reads them from files, or creates them. */
import { toNames } from '../../config/tls-names.ts';
import { type CertificateResult, readCertificate } from './load.ts';
import { makeCertificate } from './self-signed.ts';

export type { Certificate } from './load.ts';

export interface CertificateOptions {
  readonly host: string;
  readonly tlsNames: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** Reads the certificate from the given files, or creates a self-signed one if none are given. */
export async function obtainCertificate(options: CertificateOptions, nowMs: number): Promise<CertificateResult> {
  const { host, tlsNames, tlsCert, tlsKey } = options;
  if (tlsCert !== undefined && tlsKey !== undefined) return readCertificate(tlsCert, tlsKey, nowMs);
  return { ok: true, certificate: await makeCertificate(toNames(host, tlsNames), nowMs) };
}
