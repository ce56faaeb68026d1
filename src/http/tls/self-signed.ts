/** Creates a self-signed certificate, which is used if none is given. */
import { isAddress } from '../../config/tls-names.ts';
import type { Certificate } from './load.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Time before now at which the certificate becomes valid, because clients' clocks may be slow. */
const backdatedMs = dayMs;

/** Validity of the certificate: Apple's systems and Chrome reject more than 397 days. */
const validMs = 396 * dayMs;

/** Type codes of host names and addresses in `subjectAltName`. */
const nameType = 2;
const addressType = 7;

/**
 * Creates a self-signed certificate for these names. Its key and serial number are random: apart from them, a sandbox
 * is the same at each start.
 */
export async function makeCertificate(names: readonly string[], nowMs: number): Promise<Certificate> {
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
