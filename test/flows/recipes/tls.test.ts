/** Clients of docs/guides/tls.md with stricter checks, and without the certificate. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { has, useRecipes } from '../../harness/recipes.ts';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ tls: 'true' });
const { folder, follow } = useRecipes('docs/guides/tls.md', toHere);

/** The page's addresses, as they are here. */
function toHere(text: string): string {
  const { port } = new URL(sandbox.tls()?.url ?? '');
  return text.replaceAll('http://127.0.0.1:4600', sandbox.url()).replaceAll('localhost:4643', `localhost:${port}`);
}

beforeAll(() => follow('Trust the certificate'));

test.runIf(has('python3', '--version'))('Python with the strict checks of 3.13', async () => {
  const script = toHere(`import ssl
from urllib.request import urlopen
context = ssl.create_default_context(cafile="ca.pem")
context.verify_flags |= ssl.VERIFY_X509_STRICT
for host in ("localhost", "127.0.0.1"):
    with urlopen("https://localhost:4643/_sandbox/health".replace("localhost", host), context=context) as answer:
        print(answer.status)`);
  const { stdout } = await promisify(execFile)('python3', ['-c', script], { cwd: folder });
  expect(stdout.split(/\s+/)).toEqual(['200', '200', '']);
});

test('without the certificate, all clients fail', async () => {
  const script = toHere(
    "fetch('https://localhost:4643/_sandbox/health').catch(({ cause }) => console.log(cause.code))",
  );
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
  expect(stdout.trim()).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
});
