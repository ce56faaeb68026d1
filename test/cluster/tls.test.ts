/** All replicas use one certificate. */
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { startReplicas } from './harness/replicas.ts';
import { useDatabase } from './harness/use-postgres.ts';

describe.skipIf(postgresIsMissing)('the certificate of --tls', () => {
  const database = useDatabase();
  const certificateOf = async (url: string | URL) => (await fetch(new URL('/_sandbox/ca.pem', url))).text();

  test('is the same at every replica, also later, until one needs another name', async () => {
    const args = ['--tls', '--tls-port', '0'];
    const replicas = await startReplicas({ count: 2, postgresUrl: database(), program: inject('program'), args });
    onTestFinished(replicas.stop);
    const [first, second] = await Promise.all(replicas.urls().map(certificateOf));
    expect(first).toContain('BEGIN CERTIFICATE');
    expect(second).toBe(first);
    await replicas.all[0]?.restart();
    expect(await certificateOf(replicas.all[0]?.url ?? '')).toBe(first);
    const third = await replicas.add({ args: [...args, '--tls-name', 'sandbox.example.com'] });
    expect(await certificateOf(third.url)).not.toBe(first);
  });
});
