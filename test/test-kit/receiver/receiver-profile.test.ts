/** The kit's receiver, with the profile of the sandbox. */
import { expect, test } from 'vitest';
import { createCallbackReceiver, startSandbox } from '../../../src/index.ts';
import { writeProfile } from '../../harness/profile.ts';
import { post } from '../kit.ts';

const secret = 'a shared secret';

test.each<readonly [what: string, callbacks: object, body: object | undefined]>([
  ['an HMAC', { signature: { hmac: 'sha512', header: 'x-sign', value: '{base64}' } }, undefined],
  [
    'an HMAC with a timestamp in its header',
    {
      method: 'PUT',
      headers: { 'x-id': '{id}' },
      signature: { hmac: 'sha256', header: 'x-sign', value: 't={timestamp},v1={hex}', over: '{id}.{timestamp}.{body}' },
    },
    { meta: { event: '{type}' }, jobs: [{ id: '{entry.id}' }] },
  ],
  [
    'an HMAC with a timestamp in another header',
    {
      headers: { 'x-type': '{type}', 'x-time': '{timestamp}' },
      signature: { hmac: 'sha1', header: 'x-sign', over: '{timestamp}.{body}' },
    },
    { jobs: '{failed}' },
  ],
  ['a header with the secret', { signature: { header: 'authorization', value: 'Bearer {secret}' } }, undefined],
  ['no signature', { signature: 'none' }, undefined],
])('verifies callbacks with %s', async (what, callbacks, body) => {
  const profile = writeProfile({ callbacks, ...(body && { bodies: { callback: body } }) });
  await using receiver = await createCallbackReceiver({ secret, profile });
  await using other = await createCallbackReceiver({ secret: 'another', profile });
  await using sandbox = await startSandbox({ profile });
  for (const [name, { url }] of Object.entries({ one: receiver, two: other })) {
    const project = sandbox.project(name);
    await project.clock.freeze();
    await project.callbacks.sendTo(url, { secret: secret });
    await post(sandbox.url, `/async/projects/${name}/jobs`, { jobs: [{ id: 'FAIL-1' }] });
    await project.clock.advance('1s');
  }
  const [callback] = await receiver.waitFor({ type: 'jobs.import.failed' });
  expect(callback).toMatchObject({ verified: true, type: 'jobs.import.failed' });
  if (callbacks && JSON.stringify(callbacks).includes('x-id')) expect(callback?.id).toMatch(/^msg_/);
  expect(other.received[0]?.verified).toBe(what === 'no signature');
});

test('rejects a mistake in the profile, and a secret that Standard Webhooks can not use', async () => {
  const profile = writeProfile('callbacks: { signature: hmac }');
  await expect(createCallbackReceiver({ profile })).rejects.toThrow(
    'profile.yaml:1:25  expected one of standard-webhooks',
  );
  await expect(createCallbackReceiver({ secret })).rejects.toThrow('secret: a secret must begin with whsec_');
});
