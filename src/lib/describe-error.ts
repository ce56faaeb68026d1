/** Describes why a request got no response. */

/** Message for a lack of file descriptors. A socket needs one, and so does loading a package at its first use. */
const noDescriptors = 'the sandbox has no file descriptors left: raise the limit on open files (ulimit -n)';

const trustHint = '; to trust it, start with NODE_EXTRA_CA_CERTS=FILE';

/** Errors of attempts that did not reach the receiver. */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be resolved',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: `certificate is self-signed${trustHint}`,
  SELF_SIGNED_CERT_IN_CHAIN: `certificate is self-signed${trustHint}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `certificate is from an unknown authority${trustHint}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `certificate is from an unknown authority${trustHint}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
  EPROTO: 'the TLS handshake failed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the TLS handshake failed',
};

const messages: Readonly<Record<string, string>> = {
  ...unreached,
  MODULE_NOT_FOUND: 'the sandbox could not load one of its own files: were they replaced while it was running?',
  EMFILE: noDescriptors,
  ENFILE: noDescriptors,
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed without a response',
  'socket hang up': 'connection closed without a response',
  HPE_HEADER_OVERFLOW: 'the head of the response is longer than 16 kB',
  ERR_INVALID_CHAR: 'a header has an invalid character',
};

/** Whether an error says that a request was not sent: the server was not reached, or is not trusted. */
export function isUnreached(error: string): boolean {
  return Object.values(unreached).includes(error);
}

/** Describes in a few words why a request failed. `timeoutMs`: the timeout of connecting, if there is one. */
export function describeError(error: unknown, timeoutMs?: number): string {
  if (!(error instanceof Error)) return 'sending failed';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'].includes(code))
    return timeoutMs === undefined ? 'timed out' : timedOut(timeoutMs);
  const unnamed = code.startsWith('HPE_') ? 'the response is not HTTP' : error.message;
  const message = messages[error.message] ?? messages[code] ?? unnamed;
  return message === '' ? `sending failed (${code || error.name})` : message.slice(0, 200);
}

/** Describes a timeout in a few words. */
export function timedOut(timeoutMs: number): string {
  return `timed out after ${timeoutMs % 1000 === 0 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`}`;
}
