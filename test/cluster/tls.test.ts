/** All replicas use one certificate. */
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { askSecurely } from '../harness/secure-client.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { startReplicas } from './harness/replicas.ts';
import { useDatabase } from './harness/use-postgres.ts';

describe.skipIf(postgresIsMissing)('the certificate of --tls', () => {
  const database = useDatabase();
  /** Gets it over TLS, with a client that trusts what the replica offers without. */
  const certificateOf = async (url: string | URL) => {
    const settings = await fetch(new URL('/_sandbox/settings', url));
    const { tlsUrl, caUrl } = (await settings.json()) as { tlsUrl: string; caUrl: string };
    return (await askSecurely({ tls: () => ({ url: tlsUrl, caUrl }) }, 'localhost', '/_sandbox/ca.pem')).body;
  };

  test('is the same at every replica, also later, and after one needs another name', async () => {
    const args = ['--tls', '--tls-port', '0'];
    const replicas = await startReplicas({ count: 2, postgresUrl: database(), program: inject('program'), args });
    onTestFinished(replicas.stop);
    const [first, second] = await Promise.all(replicas.urls().map(certificateOf));
    expect(first).toContain('BEGIN CERTIFICATE');
    expect(second).toBe(first);
    await replicas.all[0]?.restart();
    expect(await certificateOf(replicas.all[0]?.url ?? '')).toBe(first);
    const third = await replicas.add({ args: [...args, '--tls-name', 'sandbox.example.com'] });
    const renewed = await certificateOf(third.url);
    expect(renewed).not.toBe(first);
    await expect.poll(() => Promise.all(replicas.urls().map(certificateOf))).toEqual([renewed, renewed, renewed]);
  });
});
