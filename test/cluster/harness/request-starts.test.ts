/** Where requests start in a stream of bytes, which the load balancer must know. */
import { expect, test } from 'vitest';
import { createRequestScanner } from './request-starts.ts';

const post = 'POST /jobs HTTP/1.1\r\n';

/** Each is one request. Bodies look like requests, and lengths like other lengths. */
const requests = [
  'GET / HTTP/1.1\r\n\r\n',
  `${post}Content-Length: 18\r\nx: 1\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  `${post}x-content-length: 5\r\ncontent-length:0\r\n\r\n`,
  `${post}TRANSFER-ENCODING: chunked\r\n\r\n3\r\n\r\n0\r\n00000010;x=0\r\n0\r\n\r\nGET / HTTP\r\n0\r\n\r\n`,
  `${post}transfer-encoding: gzip, Chunked\r\n\r\n1\r\n0\r\n0\r\nTrailer: 0\r\n\r\n`,
  'DELETE /last HTTP/1.1\r\nhost: x\r\n\r\n',
];

const stream = Buffer.from(requests.join(''));

test.each([1, 2, 3, 7, 50, stream.length])('starts are found in pieces of %i bytes', (size) => {
  const scan = createRequestScanner();
  const found: number[] = [];
  for (let at = 0; at < stream.length; at += size) {
    found.push(...scan(stream.subarray(at, at + size)).map((start) => at + start));
  }
  expect(found).toEqual(requests.map((_, index) => requests.slice(0, index).join('').length));
});
