/** Recordings of random histories replay to the same responses and callbacks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { replayRecording } from '../../../src/cli/replay/replay.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { history, type Step, secrets } from './history.ts';
import { live } from './live.ts';

const rules = `
name: fickle
rules:
  - { chance: 0.1, then: { respond: { status: 503 } } }
  - { chance: 0.1, then: { fail: by chance } }
  - { when: { item: { every: 1 } }, chance: 0.1, then: { refuse: by chance } }
  - { chance: 0.3, then: { latency: { min: 1ms, max: 8ms } } }
  - { when: { where: { headers.apikey: ${secrets.apiKey} } }, then: { latency: 2ms } }
  - { chance: 0.5, then: { callback: { delay: 1s } } }
`;

const apiKeys = ['sandbox-key', secrets.apiKey];
const real = useSandbox({ apiKeys });
const frozen = useSandbox({ apiKeys, clock: '2026-03-02T09:30:00Z', scenarioYaml: rules, strict: 'true' });
const receiver = useReceiver();
const { read } = createRecordingReader();

/** Responses of the receiver, in turn. */
const answers = [204, 500, { status: 503, headers: { 'retry-after': '1' } }, 200, 410, 404] as const;

function fail(): void {
  let count = 0;
  receiver.handle(() => answers[count++ % answers.length] ?? 204);
}

const found = { requests: 0, callbacks: 0, statuses: new Set<number>(), kinds: new Set<string>() };

async function check(text: string): Promise<void> {
  for (const secret of Object.values(secrets)) {
    const at = text.toLowerCase().indexOf(secret.toLowerCase());
    if (at >= 0) throw new Error(`a secret: ${text.slice(Math.max(0, at - 300), at + 50)}`);
  }
  const value = JSON.parse(text);
  expect(value.complete).toBe(true);
  const recording = await read(value, 'recording');
  if ('mistakes' in recording) throw new Error(recording.mistakes.join('\n'));
  const { requests, callbacks, differences } = await replayRecording(recording);
  if (differences.length > 0) throw new Error(JSON.stringify(differences[0], null, 1));
  found.requests += requests;
  found.callbacks += callbacks;
  for (const { kind, response } of value.changes) {
    found.kinds.add(kind);
    if (response) found.statuses.add(response.status);
  }
}

const histories = 200;

test(`${histories} random histories replay identically, without secrets`, { timeout: 400_000 }, async () => {
  fail();
  const property = fc.asyncProperty(history, fc.boolean(), async (steps: readonly Step[], isFrozen: boolean) => {
    const stage = { url: (isFrozen ? frozen : real).url(), receiverUrl: receiver.url(), project: freshProject() };
    for (const text of await live(stage, steps)) await check(text);
  });
  await fc.assert(property, { numRuns: histories, seed: 20_260_302, endOnFailure: true });
  // The histories prove something only if all kinds of changes happened in them.
  expect(found.requests).toBeGreaterThan(histories * 10);
  expect(found.callbacks).toBeGreaterThan(histories);
  expect([...found.statuses]).toEqual(expect.arrayContaining([0, 200, 201, 202, 400, 404, 409, 413, 415, 429, 503]));
  expect([...found.kinds].sort()).toEqual([
    'advance',
    'callback',
    'callback-endpoint',
    'clock',
    'redelivery',
    'request',
    'scenarios',
    'server-scenarios',
    'snapshot',
  ]);
});
