/** The code samples of the reference send exactly the request that the form shows: each of them is run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { BuiltRequest } from '../../src/console/screens/reference/build-request.ts';
import { languages } from '../../src/console/screens/reference/code-samples.ts';
import { useSandbox } from '../harness/sandbox.ts';

const run = promisify(execFile);
const sandbox = useSandbox();

/** Characters that have a meaning in one of the languages. */
const text = `it's "quoted" \\ $HOME \${x} %s """ äöü 😀 true`;

const request: BuiltRequest = {
  method: 'POST',
  target: '/sync/projects/samples/jobs/batch',
  headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
  body: '',
};

const job = (id: string) => ({ id, isPriority: true, commsOptOut: false, driver: null, branchId: text, waitTime: 7 });

/** The programs that run the languages, each with the argument for a file. */
const programs: Readonly<Record<string, readonly [program: string, file: string]>> = {
  curl: ['bash', 'sample.sh'],
  fetch: [process.execPath, 'sample.mjs'],
  Python: ['python3', 'sample.py'],
  Java: ['java', 'Example.java'],
};

/** Why a language cannot be run here; undefined if it can. */
const probes: Readonly<Record<string, readonly string[]>> = {
  curl: ['curl', '--version'],
  fetch: [process.execPath, '--version'],
  Python: ['python3', '-c', 'import requests'],
  Java: ['java', '--list-modules'],
};

async function isHere([program = '', ...rest]: readonly string[]): Promise<boolean> {
  return run(program, [...rest]).then(
    ({ stdout }) => program !== 'java' || stdout.includes('jdk.compiler'),
    () => false,
  );
}

describe.each(Object.keys(languages))('%s', (language) => {
  test.each([
    ['on several lines', 2],
    ['on one line', 0],
  ])('sends a body %s as it is', { timeout: 60_000 }, async (_how, indent) => {
    const [program = '', file = ''] = programs[language] ?? [];
    if (!(await isHere(probes[language] ?? []))) {
      console.warn(`SKIPPED: the ${language} sample is not run, since there is no program for it.`);
      return;
    }
    const id = `${language}-${indent}`;
    const body = JSON.stringify({ jobs: [job(id)] }, null, indent);
    const at = path.join(mkdtempSync(path.join(tmpdir(), 'sample-')), file);
    writeFileSync(at, languages[language]?.(sandbox.url(), { ...request, body }) ?? '');
    const { stdout } = await run(program, [at]);
    expect(stdout).toContain('200');
    const { body: stored } = await sandbox.control('GET', `/projects/samples/jobs/${id}`);
    expect(stored).toMatchObject({ id, isPriority: true, commsOptOut: false, branchId: text, waitTime: 7 });
  });
});

test('a body that is not JSON is sent as text', () => {
  const broken = { ...request, body: '{"jobs": "no' };
  expect(languages['Python']?.('http://sandbox', broken)).toContain('data="{\\"jobs\\": \\"no".encode()');
  expect(languages['fetch']?.('http://sandbox', broken)).toContain('body: "{\\"jobs\\": \\"no"');
});

test('a number in Python keeps its digits', () => {
  const body = '{"jobs": [{"id": "J", "price": 12345678901234567890.10}]}';
  expect(languages['Python']?.('http://sandbox', { ...request, body })).toContain('"price": 12345678901234567890.10');
});
