/** Makes the certificate that is used where none was given. */
import type { Certificate } from './certificate.ts';
import { isAddress } from './names.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Clocks of clients may be late. */
const earlierMs = dayMs;

/** Beyond 397 days Apple's systems and Chrome take none. */
const validMs = 396 * dayMs;

/** What `subjectAltName` calls a host name, and an address. */
const nameType = 2;
const addressType = 7;

/**
 * A certificate for these names that has signed itself, so that clients trust it by having it. Key and serial number are
 * made of random bytes: it is the one thing of a sandbox that is another at each start.
 */
export async function makeCertificate(names: readonly string[], nowMs: number): Promise<Certificate> {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'field-sandbox' }], {
    // Made four times as quickly as an RSA key.
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - earlierMs),
    notAfterDate: new Date(nowMs - earlierMs + validMs),
    // An authority and a certificate by it would name no key identifiers, and strict clients (Python from 3.13) refuse
    // that. No `keyUsage`: older OpenSSL takes one that may not sign certificates for not signed by itself.
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: names.map(toAltName) },
    ],
  });
  return { cert: made.cert, key: made.private, authority: made.cert };
}

function toAltName(name: string): { type: 7; ip: string } | { type: 2; value: string } {
  return isAddress(name) ? { type: addressType, ip: name } : { type: nameType, value: name };
}
