/** Callbacks of a profile, one per entry, in groups, with delays, and after a restart. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { useFolders } from '../data-steps.ts';
import { useRules } from './disturbance-steps.ts';
import { frozenProject } from './steps.ts';

const receiver = useReceiver();
const { fresh, start } = useFolders();
const callbacks = { ...shippedProfile.callbacks, perEntry: true };
const sandbox = useSandbox({ profile: writeProfile({ callbacks }) }, { ...shippedProfile, callbacks });

const failing = { jobs: ['A', 'B', 'C'].map((name) => ({ id: `FAIL-${name}` })) };
const names = () => receiver.received.map(({ body }) => JSON.parse(body).data.failed[0].id).join(' ');

test('entries of one request are a group of callbacks, which a scenario reverses', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  await useRules(sandbox, project, [{ then: { callback: { order: 'reverse' } } }]);
  await sandbox.api('POST', `/async/projects/${project}/jobs`, failing);
  await sandbox.advance(project);
  expect(names()).toBe('FAIL-C FAIL-B FAIL-A');
});

test('a scenario delays the callback of one entry', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  await useRules(sandbox, project, [{ times: 1, when: { request: { nth: 1 } }, then: { callback: { delay: '1m' } } }]);
  await sandbox.api('POST', `/async/projects/${project}/jobs`, failing);
  await sandbox.advance(project, '1s');
  const early = names();
  await sandbox.advance(project, '1m');
  expect([early, names()]).toEqual(['FAIL-B FAIL-C', 'FAIL-B FAIL-C FAIL-A']);
});

test('after a restart, pending entries are sent with the payload and signature of the profile', async () => {
  const profile = writeProfile({
    bodies: { callback: { reference: '{entry.id}', of: '{projectId}' } },
    callbacks: {
      perEntry: true,
      headers: { 'x-event': '{id}' },
      signature: { hmac: 'sha256', header: 'x-sign', value: 'v={hex}' },
    },
  });
  const options = { profile, clock: '2026-03-02T09:00:00Z', callbackUrl: receiver.url(), callbackSecret: 'a secret' };
  const folder = fresh();
  const first = await start(folder, options);
  await first.api('POST', '/async/projects/p/jobs', failing);
  await first.close();
  const again = await start(folder, options);
  receiver.handle(() => 500);
  await again.control('POST', '/projects/p/clock/advance', { by: '200ms' });
  await again.close();
  receiver.handle(() => 204);
  const last = await start(folder, options);
  const before = receiver.received.length;
  await last.control('POST', '/projects/p/clock/advance', { until: 'idle' });
  const retried = receiver.received.slice(before);
  expect(retried.map(({ body }) => body).sort()).toEqual(
    ['A', 'B', 'C'].map((name) => `{"reference":"FAIL-${name}","of":"p"}`),
  );
  for (const { body, headers } of receiver.received) {
    expect(headers['x-sign']).toBe(`v=${createHmac('sha256', 'a secret').update(body).digest('hex')}`);
  }
  const ids = new Set(receiver.received.map(({ headers }) => headers['x-event']));
  expect([receiver.received.length, ids.size]).toEqual([6, 3]);
  await last.close();
});
