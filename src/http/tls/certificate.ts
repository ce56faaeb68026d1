/** Gets the server's TLS certificate and key: reads them from files, or creates them. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { isAddress, toNames } from '../../config/tls-names.ts';
import { readTextFile } from '../../lib/text-file.ts';

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

/** A certificate and its key, as PEM. Both stay in memory only. */
export interface Certificate {
  /** The server's certificate, and its intermediate certificates. */
  readonly cert: string;
  readonly key: string;
  /** The certificate that clients must trust, or undefined if unknown. */
  readonly authority: string | undefined;
}

/** A certificate, or all mistakes in the given files. */
export type CertificateResult =
  | { readonly ok: true; readonly certificate: Certificate }
  | { readonly ok: false; readonly mistakes: readonly string[] };

const certificatePattern = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
const keyPattern = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const encryptedPattern = /-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/;

type Read<Value> = { readonly value: Value } | { readonly mistake: string };

/** Reads a certificate from two PEM files; the first may contain a chain, beginning with the server's certificate. */
export async function readCertificate(certFile: string, keyFile: string, nowMs: number): Promise<CertificateResult> {
  const [certText, keyText] = await Promise.all([readText(certFile), readText(keyFile)]);
  const chain = 'mistake' in certText ? certText : parseChain(certText.value);
  const key = 'mistake' in keyText ? keyText : parseKey(keyText.value);
  const mistakes = [
    ...('mistake' in chain ? [`--tls-cert: ${certFile}: ${chain.mistake}`] : []),
    ...('mistake' in key ? [`--tls-key: ${keyFile}: ${key.mistake}`] : []),
  ];
  if ('mistake' in chain || 'mistake' in key) return { ok: false, mistakes };
  const keyMistake = checkKey(key.value, chain.value, certFile);
  // The order of the chain only matters if the key belongs to it.
  const chainMistakes = [...checkDates(chain.value, nowMs), ...(keyMistake ? [] : checkOrder(chain.value))];
  mistakes.push(...chainMistakes.map((mistake) => `--tls-cert: ${certFile}: ${mistake}`));
  if (keyMistake) mistakes.push(`--tls-key: ${keyFile}: ${keyMistake}`);
  if (mistakes.length > 0) return { ok: false, mistakes };
  const cert = chain.value.map(String).join('');
  const certificate = {
    cert,
    key: key.value.export({ type: 'pkcs8', format: 'pem' }).toString(),
    authority: toAuthority(chain.value),
  };
  const rejection = checkWithOpenSsl(certificate);
  return rejection
    ? { ok: false, mistakes: [`--tls-cert: ${certFile}: OpenSSL rejects the certificate (${rejection})`] }
    : { ok: true, certificate };
}

async function readText(file: string): Promise<Read<string>> {
  const read = await readTextFile(file);
  return 'text' in read ? { value: read.text } : { mistake: read.reason };
}

function parseChain(text: string): Read<readonly X509Certificate[]> {
  const pems = text.match(certificatePattern) ?? [];
  if (pems.length === 0) {
    const hint = keyPattern.test(text) ? '; it contains a private key: pass it with --tls-key' : '';
    return { mistake: `expected a certificate as PEM (-----BEGIN CERTIFICATE-----), found none${hint}` };
  }
  try {
    return { value: pems.map((pem) => new X509Certificate(pem)) };
  } catch {
    return { mistake: 'expected a certificate as PEM; the text between BEGIN and END is not a valid certificate' };
  }
}

function parseKey(text: string): Read<KeyObject> {
  if (encryptedPattern.test(text)) {
    return {
      mistake:
        'expected a key without a passphrase, got an encrypted one; decrypt it (openssl pkey -in FILE -out FILE)',
    };
  }
  if (!keyPattern.test(text)) {
    const hint = text.match(certificatePattern) ? '; it contains a certificate: pass it with --tls-cert' : '';
    return { mistake: `expected a private key as PEM (-----BEGIN PRIVATE KEY-----), found none${hint}` };
  }
  try {
    return { value: createPrivateKey(text) };
  } catch {
    // OpenSSL's message may quote the key.
    return { mistake: 'expected a private key as PEM; the text between BEGIN and END is not a valid key' };
  }
}

function checkDates(chain: readonly X509Certificate[], nowMs: number): readonly string[] {
  return chain.flatMap((certificate) => {
    const { validFrom, validTo } = certificate;
    if (Date.parse(validTo) < nowMs) return [`${toName(certificate)} expired on ${validTo}`];
    return Date.parse(validFrom) > nowMs ? [`${toName(certificate)} is not valid before ${validFrom}`] : [];
  });
}

function checkOrder(chain: readonly X509Certificate[]): readonly string[] {
  return chain.slice(1).flatMap((next, index) => {
    const certificate = chain[index] as X509Certificate;
    return isIssuedBy(certificate, next)
      ? []
      : [`expected the issuer of ${toName(certificate)} after it, got ${toName(next)}`];
  });
}

function checkKey(key: KeyObject, chain: readonly X509Certificate[], certFile: string): string | undefined {
  const index = chain.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (index === 0) return undefined;
  return index < 0
    ? `expected the key of ${toName(chain[0] as X509Certificate)} in ${certFile}, got another key`
    : `expected the key of the first certificate in ${certFile}, got the key of certificate ${index + 1}; put the server's certificate first`;
}

/** Returns the last certificate of the chain if it is self-signed: only such a certificate can be trusted by itself. */
function toAuthority(chain: readonly X509Certificate[]): string | undefined {
  const last = chain.at(-1);
  return last && isIssuedBy(last, last) ? String(last) : undefined;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.issuer === issuer.subject && certificate.verify(issuer.publicKey);
}

/** Returns OpenSSL's reason to reject the certificate, such as a key that is too short. */
function checkWithOpenSsl(certificate: { readonly cert: string; readonly key: string }): string | undefined {
  try {
    createSecureContext(certificate);
    return undefined;
  } catch (error) {
    const { reason, code } = error as NodeJS.ErrnoException & { readonly reason?: string };
    return reason ?? code;
  }
}

function toName({ subject }: X509Certificate): string {
  return `the certificate of ${JSON.stringify((subject ?? '').replaceAll('\n', ', '))}`;
}
