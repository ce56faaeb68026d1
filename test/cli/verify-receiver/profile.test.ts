/** `verify-receiver --profile`: the callbacks of a profile, and the checks that do not apply to them. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createCallbackFormat } from '../../../src/callbacks/format.ts';
import { type CheckResult, checkReceiver } from '../../../src/cli/verify-receiver/check-receiver.ts';
import { isPassed, toEndText } from '../../../src/cli/verify-receiver/report.ts';
import { createWallClock } from '../../../src/lib/time.ts';
import { type CallbackSettings, shippedProfile } from '../../../src/openapi/profile/profile.ts';

const secret = 'a shared secret';
const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

interface Seen {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Checks a receiver that accepts what `isValid` says, if it is JSON. */
async function check(settings: Partial<CallbackSettings>, isValid: (seen: Seen) => boolean, body?: unknown) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const one = { method: request.method ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      if (!isValid(one)) return void response.writeHead(401).end();
      JSON.parse(one.body);
      response.writeHead(204).end();
    } catch {
      if (!response.destroyed) response.writeHead(400).end();
    }
  }).listen(0, '127.0.0.1');
  closings.push(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const format = createCallbackFormat({ ...shippedProfile.callbacks, ...settings }, body);
  const results: CheckResult[] = [];
  const about = { url, secret, format, allow: [], wall: createWallClock(), pauseMs: 5 };
  await checkReceiver(about, (result) => results.push(result));
  const named = (outcome: CheckResult['outcome']) =>
    results.filter((one) => one.outcome === outcome).map(({ name, note }) => [name, note] as const);
  return { seen, failed: named('failed'), skipped: named('skipped'), results };
}

const timed = {
  method: 'PUT',
  headers: { 'x-time': '{timestamp}' },
  signature: { hmac: 'sha256', header: 'x-sign', over: '{timestamp}.{body}' },
} as const;

function isSigned({ headers, body }: Seen): boolean {
  const time = String(headers['x-time']);
  if (!/^\d+$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  return headers['x-sign'] === createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
}

test('an HMAC: a receiver that verifies it passes, and one check does not apply', async () => {
  const { seen, failed, skipped, results } = await check(timed, isSigned, { all: [{ id: '{entry.id}' }] });
  expect(failed).toEqual([]);
  expect(skipped).toEqual([
    ['accepts several signatures in one header', 'only Standard Webhooks have several signatures in one header'],
  ]);
  expect(seen[0]).toMatchObject({ method: 'PUT', body: '{"all":[{"id":"VERIFY-1"}]}' });
  expect(isPassed(results)).toBe(true);
  expect(toEndText(results, 'http://a.example/', 1000, (_, text) => text)).toMatch(/passed: \d+ checks, 1 skipped/);
});

test('an HMAC: a receiver that does not verify the time or the body fails these checks', async () => {
  const untimed = await check(
    timed,
    (seen) => isSigned({ ...seen, headers: { ...seen.headers } }) || seen.headers['x-sign'] !== undefined,
  );
  expect(untimed.failed.map(([name]) => name)).toEqual([
    'rejects the signature of another secret',
    'rejects malformed signatures',
    'rejects a callback that was changed after signing',
    'rejects a timestamp that is ten minutes old',
    'rejects a timestamp that is ten minutes ahead',
    'rejects a timestamp that is not a number',
  ]);
});

test('a header with the secret: checks of the body and the time do not apply', async () => {
  const settings = {
    signature: { header: 'authorization', value: 'Bearer {secret}' },
    perEntry: true,
    successes: true,
  };
  const { failed, skipped, seen } = await check(
    settings,
    ({ headers }) => headers.authorization === `Bearer ${secret}`,
  );
  expect(failed).toEqual([]);
  expect(skipped.map(([name]) => name)).toEqual([
    'verifies the raw bytes of the body',
    'accepts several signatures in one header',
    'accepts 10,000 failures in one callback (1 MB)',
    'rejects a callback that was changed after signing',
    'rejects a timestamp that is ten minutes old',
    'rejects a timestamp that is ten minutes ahead',
    'rejects a timestamp that is not a number',
  ]);
  expect(seen.map(({ body }) => body).join()).toContain('"type":"orders.update.completed"');
});

test('no signature: nothing about signatures is checked', async () => {
  const { failed, skipped } = await check({ signature: 'none' }, () => true);
  expect(failed).toEqual([]);
  expect(skipped).toContainEqual(['rejects unsigned callbacks', 'the callbacks of the profile have no signature']);
});
