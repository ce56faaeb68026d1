/** Callbacks whose signature or body a scenario spoils: a receiver's library refuses them, for that one reason. */
import { describe, expect, test } from 'vitest';
import { parseSecret } from '../../../src/callbacks/signature.ts';
import { type Received, useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { disturbedProject, useRules, verify } from './disturbance-steps.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();
const ownSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** The only callback that came, with these headers changed. */
function received(headers: Record<string, string> = {}): Received {
  expect(receiver.received).toHaveLength(1);
  const [one] = receiver.received as readonly [Received];
  return { ...one, headers: { ...one.headers, ...headers } };
}

async function receive(disturbance: object): Promise<string> {
  const project = await disturbedProject(sandbox, receiver.url(), disturbance);
  await failLater(sandbox, project);
  expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
  return project;
}

const secondsOld = ({ headers }: Received): number => Date.now() / 1000 - Number(headers['webhook-timestamp']);

describe('a signature that is', () => {
  test("invalid also with the project's own secret", async () => {
    expect(parseSecret(ownSecret).ok).toBe(true);
    const project = await frozenProject(sandbox, receiver.url(), ownSecret);
    await useRules(sandbox, project, [{ then: { callback: { signature: 'invalid' } } }]);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(verify(received(), ownSecret)).toBe('No matching signature found');
    expect(verify(received())).toBe('No matching signature found');
  });

  test('stale is one hour old, and valid for that time', async () => {
    await receive({ signature: 'stale' });
    expect(verify(received())).toBe('Message timestamp too old');
    expect(secondsOld(received())).toBeGreaterThanOrEqual(3600);
    expect(secondsOld(received())).toBeLessThan(3660);
    // Had the header told the true time, the signature would have been wrong: it is made for the old one.
    const now = String(Math.floor(Date.now() / 1000));
    expect(verify(received({ 'webhook-timestamp': now }))).toBe('No matching signature found');
  });
});

describe('a malformed body', () => {
  test('has an invalid signature if the scenario asks for that too', async () => {
    await receive({ body: 'malformed', signature: 'invalid' });
    expect(() => JSON.parse(received().body)).toThrow(SyntaxError);
    expect(verify(received())).toBe('No matching signature found');
  });
});

test('retries and copies get the same fault; a redelivery is intact', async () => {
  receiver.answer(500, 500);
  const spoiled = { body: 'malformed', signature: 'stale', copies: 2 };
  const project = await disturbedProject(sandbox, receiver.url(), spoiled);
  await failLater(sandbox, project);
  await sandbox.advance(project);
  expect(receiver.received.map((one) => verify(one))).toEqual(Array(3).fill('Message timestamp too old'));
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);

  const { id, body } = await onlyCallback(sandbox, project);
  await sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);
  const byHand = receiver.received[3] as Received;
  expect(verify(byHand)).toBe('verified');
  expect(JSON.parse(byHand.body)).toEqual(body);
  expect(byHand.headers['webhook-id']).toBe(id);
});

test('applies to the inbox too', async () => {
  const project = await disturbedProject(sandbox, undefined, { signature: 'missing', body: 'malformed' });
  await failLater(sandbox, project);
  await sandbox.advance(project);
  const { attempts, body } = await onlyCallback(sandbox, project);
  expect(Object.keys(attempts[0]?.headers ?? {}).sort()).toEqual(['content-type', 'webhook-id', 'webhook-timestamp']);
  expect(JSON.stringify(body)).not.toBe(attempts[0]?.sent);
});
