/** Snapshots, recordings and lists of any size come in pieces, each as JSON.stringify would write it, compressed or not. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: 'frozen' });

beforeAll(async () => {
  const attributes = { town: 'Köln', text: 'x'.repeat(1000) };
  for (const part of ['A', 'B']) {
    const jobs = Array.from({ length: 500 }, (_, n) => ({ id: `${part}-${n}`, attributes }));
    expect((await sandbox.api('POST', '/sync/projects/p/jobs/batch', { jobs })).status).toBe(200);
  }
});

describe.each(['snapshot', 'recording', 'requests', 'jobs?limit=1000'])('a large %s', (what) => {
  const ask = (accepted: string, method = 'GET') =>
    fetch(`${sandbox.url()}/_sandbox/projects/p/${what}`, { method, headers: { 'accept-encoding': accepted } });

  test('equals the JSON in one piece, without a content-length', async () => {
    const response = await ask('identity');
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    expect(response.headers.get('content-type')).toBe('application/json');
    const text = await response.text();
    expect(text.length).toBeGreaterThan(512 * 1024);
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
  });

  test('has the same content compressed', async () => {
    const coding = 'gzip';
    const plain = await (await ask('identity')).text();
    const packed = await ask(coding);
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual([coding, 'accept-encoding']);
    expect(await packed.text()).toBe(plain);
  });

  test('has the same headers for HEAD', async () => {
    const response = await ask('gzip', 'HEAD');
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(await response.text()).toBe('');
  });
});
