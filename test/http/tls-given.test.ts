/** A certificate of the operator's own: what is served, and what of it can be had to trust. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { createFolder } from '../harness/folder.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { askSecurely, fetchCa } from '../harness/secure-client.ts';

const folder = createFolder();

const usual = { keyType: 'ec', algorithm: 'sha256' } as const;
const root = await generate([{ name: 'commonName', value: 'our authority' }], {
  ...usual,
  extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
});
const server = await generate([{ name: 'commonName', value: 'ours.test' }], {
  ...usual,
  ca: { key: root.private, cert: root.cert },
});

function put(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const tlsKey = put('key.pem', server.private);
const rooted = useSandbox({ tls: 'true', tlsKey, tlsCert: put('chain.pem', `${server.cert}\n${root.cert}`) });
const rootless = useSandbox({ tls: 'true', tlsKey, tlsCert: put('leaf.pem', server.cert) });

test.each([
  ['with its root', rooted],
  ['without its root', rootless],
])('a chain %s is valid for clients that trust the root', async (_what, sandbox) => {
  const headers = { apikey: 'sandbox-key' };
  const post = { ca: root.cert, method: 'POST', headers, body: { jobs: [{ id: 'A' }] } };
  const ask = (host: string) => askSecurely(sandbox, host, '/sync/projects/p/jobs/batch', post);
  expect((await ask('ours.test')).status).toBe(200);
  await expect(ask('localhost')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('returns the root certificate if the file ends with it, and otherwise reports it as missing, without a URL', async () => {
  expect((await fetchCa(rooted)).trim()).toBe(root.cert.trim());
  const message =
    'there is no certificate to trust: the file of --tls-cert does not end with a self-signed certificate; ask the issuer for the root certificate';
  expect(await rootless.control('GET', '/ca.pem')).toMatchObject({ status: 404, body: { message } });
  expect(rootless.tls()).toEqual({ url: expect.stringMatching(/^https:/), caUrl: undefined });
  expect((await rootless.control('GET', '/settings')).body).toMatchObject({
    tlsUrl: expect.stringMatching(/^https:/),
    caUrl: null,
  });
});
