/** `listen` as the built program, whose reader ends, and over TLS; golden/listen.txt has the rest. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const program = useProgram();
const sandbox = useSandbox();
const receiver = useReceiver();
const secure = useSandbox({ tls: 'true', tlsPort: '0' });

test('ends when the reader closes the output', async () => {
  const project = freshProject();
  const { child, waitForOutput, ended } = program.start(['listen', '--url', sandbox.url(), '--project', project]);
  await waitForOutput('"event":"listening"');
  child.stdout?.destroy();
  await sandbox.freeze(project);
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-1' }] });
  await sandbox.advance(project);
  expect((await ended).code).toBe(0);
});

test('over TLS it needs the certificate, and then its receiver answers', async () => {
  const project = freshProject();
  const { url = '', caUrl = '' } = secure.tls() ?? {};
  const args = ['listen', '--url', url, '--forward-to', receiver.url(), '--project', project];
  const untrusted = await program.start(args, {}).ended;
  const reason = 'certificate is self-signed; to trust it, start with NODE_EXTRA_CA_CERTS=FILE';
  expect(untrusted).toMatchObject({ code: 2, out: '', err: `${url}: ${reason}\n` });
  const ca = path.join(mkdtempSync(path.join(tmpdir(), 'ca-')), 'ca.pem');
  writeFileSync(ca, await (await fetch(caUrl)).text());
  const { child, waitForOutput, ended } = program.start(args, { NODE_EXTRA_CA_CERTS: ca });
  await waitForOutput('"event":"listening"');
  await secure.freeze(project);
  await secure.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-1' }] });
  expect(await secure.advance(project)).toMatchObject({ delivered: 1 });
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});
