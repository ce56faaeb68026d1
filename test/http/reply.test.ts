/** Answers that scenarios ask for, as values: their headers stand in for ours, whatever letters they are written in. */
import { expect, test } from 'vitest';
import { toPlannedHeaders, toPlannedReply } from '../../src/http/reply.ts';

const planned = (headers: Readonly<Record<string, string>>, body: unknown = 'text', status = 200, rate = 1) =>
  toPlannedReply({ status, headers, body, processed: false }, toPlannedHeaders(headers, rate));

test.each([
  ['content-type', 'text'],
  ['Content-Type', 'text'],
  ['CONTENT-TYPE', { an: 'object' }],
])('%s replaces the default one', (name, body) => {
  expect(planned({ [name]: 'text/xml' }, body).headers).toEqual({ 'content-type': 'text/xml' });
});

test('without one, a text is plain and other values are JSON', () => {
  expect(planned({ 'X-One': '1' }).headers).toEqual({ 'content-type': 'text/plain', 'x-one': '1' });
  expect(planned({}, { an: 'object' }).headers).toEqual({ 'content-type': 'application/json' });
});

test.each(['Content-Length', 'transfer-encoding', 'Trailer'])("a scenario can't set %s", (name) => {
  for (const status of [200, 204]) expect(planned({ [name]: 'any' }, 'text', status).headers).not.toHaveProperty(name);
  expect(planned({ [name]: 'any' }).headers).toEqual({ 'content-type': 'text/plain' });
});

test.each([204, 205, 304])('%i has no body and no content type', (status) => {
  expect(planned({ ETag: '"1"' }, 'text', status)).toEqual({ status, headers: { etag: '"1"' }, body: undefined });
});

test.each([
  [20, '30', '2'],
  [20, '600', '30'],
  [20, '0', '0'],
  [0.1, '30', '300'],
  [1, '030', '030'],
  [0, '030', '030'],
  [20, 'Thu, 01 Jan 2026 12:01:00 GMT', 'Thu, 01 Jan 2026 12:01:00 GMT'],
  [20, '9'.repeat(400), '9'.repeat(400)],
])('at the rate %d, retry-after %s of a scenario is sent as %s', (rate, given, sent) => {
  expect(planned({ 'Retry-After': given }, 'text', 503, rate).headers).toMatchObject({ 'retry-after': sent });
});
