/** Verifies the signature of callbacks (Standard Webhooks). */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The secret that the sandbox publishes: `field-sandbox listen --print-secret`. */
const secret = 'whsec_ZmllbGQtc2FuZGJveCBwdWJsaWMgdGVzdCBzZWNyZXQ=';
const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
const maxAgeSeconds = 300;

/** Returns whether a signature matches the raw bytes of the body, and is recent. */
export function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers;
  if (id === undefined || !/^\d+$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > maxAgeSeconds) return false;
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${digest}`);
  return signatures
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}
