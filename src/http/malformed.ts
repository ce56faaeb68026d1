/** Explains requests that are not valid HTTP/1.1. For most of them Node creates no request object. */
import type { IncomingMessage } from 'node:http';
import type { Problem } from '../lib/problem.ts';
import type { ApiRequest } from './exchange.ts';

/** Maximum size of the head of a request (its first line and its headers), in bytes. */
export const maxHeadBytes: number = 16 * 1024;

/** An error of Node's parser, with the received data that it could not parse. */
export interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

export interface MalformedRequest {
  readonly problem: Problem;
  /** The readable part of the request, for the journal; undefined if the request handler records it anyway. */
  readonly request: ApiRequest | undefined;
}

const invalidLine = 'each line of the head must end with CRLF';
const invalidLength = 'content-length must be a single decimal number, and not be combined with transfer-encoding';
const invalidChunk =
  'the chunked body is broken: each chunk begins with its size in hexadecimal digits and CRLF, and ends with CRLF';

/** What was expected, by the code of Node's error. Node's own words differ by version. */
const explanations: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD: 'it must begin with a method such as POST, a space, the path, a space, and HTTP/1.1',
  HPE_INVALID_URL: 'the path must begin with "/" and consist of visible ASCII characters: percent-encode all others',
  HPE_INVALID_VERSION: 'the first line must end with HTTP/1.1 and CRLF',
  HPE_INVALID_CONSTANT: 'the first line must be METHOD PATH HTTP/1.1',
  HPE_INVALID_HEADER_TOKEN:
    'each header must be NAME: VALUE on one line, without spaces in the name or control characters in the value',
  HPE_CR_EXPECTED: invalidLine,
  HPE_LF_EXPECTED: invalidLine,
  HPE_INVALID_CONTENT_LENGTH: invalidLength,
  HPE_UNEXPECTED_CONTENT_LENGTH: invalidLength,
  HPE_INVALID_TRANSFER_ENCODING: 'the last transfer-encoding must be chunked',
  HPE_PAUSED_H2_UPGRADE: 'this is HTTP/2, which the sandbox does not support: configure the client for HTTP/1.1',
  HPE_INVALID_CHUNK_SIZE: invalidChunk,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: invalidChunk,
  HPE_STRICT: invalidChunk,
};

/** Codes of errors after the head: the request handler records such a request with an incomplete body. */
const afterHead: readonly string[] = [
  'ERR_HTTP_REQUEST_TIMEOUT',
  'HPE_INVALID_CHUNK_SIZE',
  'HPE_CHUNK_EXTENSIONS_OVERFLOW',
  'HPE_STRICT',
];

/** First byte of a TLS handshake. */
const tlsHandshake = 0x16;

/** `isBehind`: the data may begin with another request. */
export function toMalformed({ code = '', rawPacket }: ParseError, isBehind: boolean): MalformedRequest {
  const isTls = rawPacket?.[0] === tlsHandshake;
  return {
    problem: toProblem(code, isTls),
    request: afterHead.includes(code) ? undefined : readFirstLine(isTls || isBehind ? undefined : rawPacket),
  };
}

function toProblem(code: string, isTls: boolean): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { kind: 'timeout', message: 'the server did not receive the whole request in time; send it again' };
  if (code === 'HPE_HEADER_OVERFLOW') {
    const limit = maxHeadBytes.toLocaleString('en');
    const message = `the request line and headers must be at most ${limit} bytes: send fewer or shorter headers, or a shorter URL`;
    return { kind: 'headTooLarge', message };
  }
  if (isTls) return malformed('this is TLS: use http:// here, or the https:// address of a sandbox with --tls');
  return malformed(explanations[code]);
}

export function malformed(explanation: string | undefined): Problem {
  const message = 'the data is not a valid HTTP/1.1 request';
  return { kind: 'malformed', message: explanation === undefined ? message : `${message}: ${explanation}` };
}

const firstLine = /^([\w!#$%&'*+.^`|~-]{1,40}) (\S{1,2000})/;

/** Reads the method and path, as far as they are readable. The headers are not recorded: they may contain a key. */
function readFirstLine(data: Buffer | undefined): ApiRequest {
  const [, method = unreadable, url = unreadable] = firstLine.exec(data?.toString('latin1', 0, 2048) ?? '') ?? [];
  return { method, url, headers: {} };
}

/** Method and path of a request in the journal if they can't be read, as in access logs. */
const unreadable = '-';

/** Creates the problem of a header `expect` that only a server with other features could meet. */
export function toUnmetExpectation({ headers: { expect = '' } }: IncomingMessage): Problem {
  const got = JSON.stringify(expect.slice(0, 60));
  const message = `the header \`expect\` must be 100-continue, got ${got}: send the request without it`;
  return { kind: 'unmetExpectation', message, errors: [{ path: 'header:expect', message }] };
}
