/** The recipes of docs/tls.md, run as they stand there; what this machine has no program for is skipped, and that is said. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox({ tls: 'true' });
// Beneath the project, so that undici is found.
const folder = mkdtempSync(path.resolve('node_modules/.field-sandbox-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sections = new Map(
  readFileSync('docs/tls.md', 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

/** The page's addresses, as they are here. */
function toHere(text: string): string {
  const { port } = new URL(sandbox.tls()?.url ?? '');
  return text.replaceAll('http://127.0.0.1:4600', sandbox.url()).replaceAll('localhost:4643', `localhost:${port}`);
}

/** Writes a section's files and runs its commands; what they printed. */
async function follow(title: string): Promise<string> {
  const section = toHere(sections.get(title) ?? '');
  for (const [, name = '', text = ''] of section.matchAll(/`([\w-]+\.\w+)`:\n\n```\w+\n([\s\S]*?)```/g))
    writeFileSync(path.join(folder, name), text);
  const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
  expect(commands.length, title).toBeGreaterThan(0);
  const { stdout } = await promisify(execFile)('bash', ['-ec', commands.join('\n')], { cwd: folder, timeout: 25_000 });
  return stdout;
}

beforeAll(() => follow('What to trust'));

const has = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

const recipes = [
  ['curl', has('curl', '--version'), ['CURL-1']],
  ['Node', true, ['NODE-1', 'NODE-2', 'NODE-3']],
  ['Python', has('python3', '--version'), ['PYTHON-1']],
  ['Python: requests', has('python3', '-c', 'import requests'), ['REQUESTS-1']],
  ['Python: httpx', has('python3', '-c', 'import httpx'), ['HTTPX-1']],
  ['Java', has('keytool', '-help') && has('java', '-version'), ['JAVA-1']],
] as const;

for (const [title, isThere] of recipes)
  if (!isThere) console.warn(`this machine has no ${title}: its recipe in docs/tls.md was NOT tested`);

test.each(recipes.filter(([, isThere]) => isThere))('%s', async (title, _isThere, ids) => {
  await follow(title);
  const stored = (await sandbox.items('demo', 'jobs')).map(({ id }) => id);
  expect(stored).toEqual(expect.arrayContaining([...ids]));
});

test.runIf(has('python3', '--version'))('Python, as strict as it is from 3.13 on', async () => {
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

test('without the certificate, none of them would be answered', async () => {
  const script = toHere(
    "fetch('https://localhost:4643/_sandbox/health').catch(({ cause }) => console.log(cause.code))",
  );
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
  expect(stdout.trim()).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
});
