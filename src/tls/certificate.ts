/** The certificate that https is served with, its key, and who vouches for it: made at start, or read from files. */
import { readCertificate } from './given.ts';
import { makeCertificate } from './made.ts';
import { toNames } from './names.ts';

/** PEM texts. They stay in memory, and the key is shown to nobody. */
export interface Certificate {
  /** The server's certificate, and what stands between it and its authority. */
  readonly cert: string;
  readonly key: string;
  /** What clients are to trust; undefined where that is not known. */
  readonly authority: string | undefined;
}

/** What of the options a certificate is obtained by. */
export interface CertificateOptions {
  readonly host: string;
  readonly tlsNames: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** A certificate, or everything that is wrong with the files that were given. */
export type Obtained =
  | { readonly ok: true; readonly certificate: Certificate }
  | { readonly ok: false; readonly mistakes: readonly string[] };

/** The certificate of the files that were given, or one that is made now. */
export async function obtainCertificate(options: CertificateOptions, nowMs: number): Promise<Obtained> {
  const { host, tlsNames, tlsCert, tlsKey } = options;
  if (tlsCert !== undefined && tlsKey !== undefined) return readCertificate(tlsCert, tlsKey, nowMs);
  return { ok: true, certificate: await makeCertificate(toNames(host, tlsNames), nowMs) };
}
