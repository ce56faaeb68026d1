/** Callbacks over the wire: that they verify, and what of them is shown. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { verify } from './disturbance-steps.ts';
import { failLater, frozenProject, onlyCallback, setEndpoint } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();
const ownSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const headersOf = (index: number) => receiver.received[index]?.headers as Record<string, string>;

describe('signatures', () => {
  test("are valid for the receiver's library at every attempt", async () => {
    receiver.answer(500, 503);
    const project = await frozenProject(sandbox, receiver.url(), ownSecret);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(receiver.received).toHaveLength(3);
    for (const { body, headers } of receiver.received) {
      expect(new Webhook(ownSecret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
      const forged = body.replace('FAIL-1', 'FAIL-2');
      expect(() => new Webhook(ownSecret).verify(forged, headers as Record<string, string>)).toThrow();
    }
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([(await onlyCallback(sandbox, project)).id]));
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  test("the header has the wall time, and the body has the project's time", async () => {
    const project = freshProject();
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen', now: '2040-01-01T00:00:00Z' });
    await setEndpoint(sandbox, project, { url: receiver.url() });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const body = receiver.received[0]?.body ?? '';
    expect(new Webhook(defaultSecret).verify(body, headersOf(0))).toMatchObject({
      timestamp: '2040-01-01T00:00:00.200Z',
    });
    expect((await onlyCallback(sandbox, project)).attempts[0]?.at).toBe('2040-01-01T00:00:00.200Z');
  });

  test('are valid in the inbox too', async () => {
    const project = await frozenProject(sandbox);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const { state, attempts } = await onlyCallback(sandbox, project);
    expect(state).toBe('inbox');
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).not.toHaveProperty('status');
    expect(attempts[0]).not.toHaveProperty('error');
    const { sent = '', headers = {} } = attempts[0] ?? {};
    expect(new Webhook(defaultSecret).verify(sent, headers)).toEqual(JSON.parse(sent));
  });
});

test('a change of the endpoint keeps its secret', async () => {
  const project = await frozenProject(sandbox, 'http://127.0.0.1:9/other', ownSecret);
  await sandbox.control('PATCH', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
  await failLater(sandbox, project);
  await sandbox.advance(project);
  expect(receiver.received.map((one) => verify(one, ownSecret))).toEqual(['verified']);
});

test('an attempt has the latency of the response', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  await sandbox.advance(project);
  expect((await onlyCallback(sandbox, project)).attempts[0]?.response?.durationMs).toBeGreaterThan(0);
});

test('a response that nests too deeply to be searched for secrets is omitted, and the callback is not sent again', async () => {
  const body = Buffer.from(`{"token":1,"deep":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
  receiver.answer({ status: 200, headers: {}, body });
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
  const attempt = { status: 200, response: { body: '(omitted: the body is nested too deeply)' } };
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts: [attempt] });
});
