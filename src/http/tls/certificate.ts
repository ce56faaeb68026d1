/** Gets the server's TLS certificate and key: reads them from files, or creates them. */
import { isAddress, toNames } from '../../config/tls-names.ts';
import { type Certificate, type CertificateResult, readCertificate } from './load.ts';

export type { Certificate } from './load.ts';

export interface CertificateOptions {
  readonly host: string;
  readonly tlsNames: readonly string[];
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** Returns a self-signed certificate for these names: a new one of `create`, or one that other servers use too. */
export type ShareCertificate = (
  names: readonly string[],
  create: (names: readonly string[]) => Promise<Certificate>,
) => Promise<Certificate>;

/** Reads the certificate from the given files, or creates a self-signed one if none are given. */
export async function obtainCertificate(
  options: CertificateOptions,
  nowMs: number,
  share: ShareCertificate = (names, create) => create(names),
): Promise<CertificateResult> {
  const { host, tlsNames, tlsCert, tlsKey } = options;
  if (tlsCert !== undefined && tlsKey !== undefined) return readCertificate(tlsCert, tlsKey, nowMs);
  const create = (names: readonly string[]) => makeCertificate(names, nowMs);
  return { ok: true, certificate: await share(toNames(host, tlsNames), create) };
}

const dayMs = 24 * 60 * 60 * 1000;

/** Time before now at which the certificate becomes valid, because clients' clocks may be slow. */
const backdatedMs = dayMs;

/** Validity of the certificate: Apple's systems and Chrome reject more than 397 days. */
const validMs = 396 * dayMs;

/** Type codes of host names and addresses in `subjectAltName`. */
const nameType = 2;
const addressType = 7;

/** Creates a self-signed certificate. Its key and serial number are the only random values of a sandbox. */
async function makeCertificate(names: readonly string[], nowMs: number): Promise<Certificate> {
  const { generate } = await import('selfsigned');
  const generated = await generate([{ name: 'commonName', value: 'field-sandbox' }], {
    // Four times as fast to create as an RSA key.
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - backdatedMs),
    notAfterDate: new Date(nowMs - backdatedMs + validMs),
    // Self-signed, because `selfsigned` writes no key identifiers: strict clients (Python from 3.13) reject an
    // authority and its certificate without them. No `keyUsage`: without the right to sign certificates in it, older
    // OpenSSL does not recognise the certificate as self-signed.
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: names.map(toAltName) },
    ],
  });
  return { cert: generated.cert, key: generated.private, authority: generated.cert };
}

function toAltName(name: string): { type: 7; ip: string } | { type: 2; value: string } {
  return isAddress(name) ? { type: addressType, ip: name } : { type: nameType, value: name };
}
