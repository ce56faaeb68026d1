/** Gets the server's TLS certificate and key: reads them from files, or creates them. */

import { toNames } from '../../config/tls-names.ts';
import { readCertificate } from './load.ts';
import { makeCertificate } from './self-signed.ts';

/** A certificate and its key, as PEM. Both stay in memory only. */
export interface Certificate {
  /** The server's certificate, and its intermediate certificates. */
  readonly cert: string;
  readonly key: string;
  /** The certificate that clients must trust, or undefined if unknown. */
  readonly authority: string | undefined;
}

/** Options for the certificate. */
export interface CertificateOptions {
  readonly host: string;
  readonly tlsNames: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** A certificate, or all mistakes in the given files. */
export type CertificateResult =
  | { readonly ok: true; readonly certificate: Certificate }
  | { readonly ok: false; readonly mistakes: readonly string[] };

/** Reads the certificate from the given files, or creates a self-signed one if none are given. */
export async function obtainCertificate(options: CertificateOptions, nowMs: number): Promise<CertificateResult> {
  const { host, tlsNames, tlsCert, tlsKey } = options;
  if (tlsCert !== undefined && tlsKey !== undefined) return readCertificate(tlsCert, tlsKey, nowMs);
  return { ok: true, certificate: await makeCertificate(toNames(host, tlsNames), nowMs) };
}
