/** `field-sandbox coverage`: what it asks, what it says of the answer, and its exit code. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type CoverageInput, runCoverage } from '../../../src/cli/coverage/command.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const guarded = useSandbox({ adminToken: 'letmein' });
const folder = mkdtempSync(path.join(tmpdir(), 'coverage-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(input: CoverageInput, environment: Record<string, string> = {}, width = 120) {
  const said = { out: '', err: '' };
  const keep = (stream: 'out' | 'err') => (text: string) => {
    said[stream] += text;
  };
  const terminal = { print: keep('out'), printError: keep('err'), width };
  const code = await runCoverage(input, terminal, environment);
  return { code, ...said };
}

/** A project of which one operation of two was called, and one failure of it was met. */
async function usedProject(): Promise<CoverageInput> {
  const project = freshProject();
  const answer = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ status: 'NO' }] });
  expect(answer.status).toBe(202);
  return { url: sandbox.url(), project, operation: 'asyncImportJobs,submitLocation' };
}

test('a table of what was met, and of what to meet next', async () => {
  const { code, out, err } = await run(await usedProject());
  expect([code, err]).toEqual([0, '']);
  expect(out).toBe(`coverage 2.9 %: 2 of 68
  operations                    1 of 2     50 %
  failures                     1 of 54    1.8 %
  conditions of callbacks      0 of 12      0 %

  operation        calls  failures  to meet next
✓ asyncImportJobs      1   1 of 27  failed-downstream: an entry with the id FAIL-GEOCODE-1
– submitLocation       0   0 of 27  call it

  callback            conditions  to meet next
– jobs.import.failed     0 of 12  delivered: set a callback endpoint that responds with 2xx, and let an entry fail
`);
});

test('no line is longer than it may be', async () => {
  const { out } = await run(await usedProject(), {}, 60);
  const lengths = out
    .trimEnd()
    .split('\n')
    .map((line) => line.length);
  expect(Math.max(...lengths)).toBe(60);
});

test('where it is comes from the option, else from the environment', async () => {
  const { url = '', ...input } = await usedProject();
  expect((await run(input, { SANDBOX_URL: `${url}/` })).code).toBe(0);
  expect((await run({ url, ...input }, { SANDBOX_URL: 'http://127.0.0.1:1' })).code).toBe(0);
});

test('an admin token is sent, and asked for where there is none', async () => {
  const input = { url: guarded.url() };
  expect(await run(input)).toEqual({
    code: 2,
    out: '',
    err: `the sandbox at ${guarded.url()} asks for its token: --admin-token or SANDBOX_ADMIN_TOKEN\n`,
  });
  expect((await run({ ...input, adminToken: 'letmein' })).code).toBe(0);
  expect((await run(input, { SANDBOX_ADMIN_TOKEN: 'letmein' })).code).toBe(0);
});

describe('the least that is to be met', () => {
  test.each([
    ['0', 0],
    ['2.9', 0],
    ['2.91', 1],
    ['100', 1],
  ])('%s', async (min, wanted) => {
    const { code, out, err } = await run({ ...(await usedProject()), min });
    expect(code).toBe(wanted);
    expect(out).toContain('coverage 2.9 %');
    expect(err).toBe(wanted === 0 ? '' : `coverage is 2.9 %, wanted at least ${min} %\n`);
  });

  test.each(['101', '-1', 'all', '', '1e1', '80%', '100.5'])('%j is no percentage', async (min) => {
    expect(await run({ url: sandbox.url(), min })).toEqual({
      code: 2,
      out: '',
      err: `--min: expected a percentage from 0 to 100, got ${JSON.stringify(min)}\n`,
    });
  });
});

describe('Markdown', () => {
  test('the same report is the same text, in place of the one before', async () => {
    const markdown = path.join(folder, 'coverage.md');
    writeFileSync(markdown, '# API coverage\n\nof yesterday\n');
    const input = { ...(await usedProject()), markdown };
    expect((await run(input)).code).toBe(0);
    const first = readFileSync(markdown, 'utf8');
    expect((await run(input)).code).toBe(0);
    expect(readFileSync(markdown, 'utf8')).toBe(first);
    expect(first).toMatch(/^# API coverage\n\n\*\*2\.9 %\*\*: the client has met 2 of 68 things/);
    expect(first).toContain('| ✅ | asyncImportJobs | 1 | 1 | 1 of 27 |');
    expect(first).toContain('| ⬜ | submitLocation | 0 | 0 | 0 of 27 | call it |');
    expect(first).toContain('<summary>asyncImportJobs: 26 of 27 failures not met</summary>');
    expect(first).not.toContain('submitLocation: 27 of 27');
    // Every line of a table has as many cells as the one above it.
    const rows = first.split('\n').map((line) => (line.startsWith('|') ? line.split(/(?<!\\)\|/).length : 0));
    for (const [index, cells] of rows.entries()) if (cells > 0 && rows[index - 1]) expect(cells).toBe(rows[index - 1]);
  });

  test.each([
    ['in no folder', () => path.join(folder, 'none', 'c.md'), 'there is no folder'],
    ['a folder', () => folder, 'is a folder'],
    ['without a name', () => '', 'expected the name of a file'],
  ])('a file %s is told before anything is asked', async (_, file, why) => {
    const { code, out, err } = await run({ url: sandbox.url(), markdown: file() });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(new RegExp(`^--markdown: .*${why}`));
  });
});

describe('where no report comes', () => {
  async function withServer(answer: string, status: number, use: (url: string) => Promise<void>): Promise<void> {
    const server: Server = createServer((_request, response) => response.writeHead(status).end(answer));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }

  test.each([
    ['nothing of ours', 'hello', 200],
    ['something like it', '{"percent":1,"items":[]}', 200],
    ['an older sandbox', '{"message":"there is no such path"}', 404],
    ['something broken', '', 500],
  ])('%s answers', async (_, answer, status) => {
    await withServer(answer, status, async (url) => {
      const err = `no sandbox with coverage at ${url}: the response is ${status}\n`;
      expect(await run({ url })).toEqual({ code: 2, out: '', err });
    });
  });

  test('nobody listens', async () => {
    let url = '';
    await withServer('', 200, async (there) => {
      url = there;
    });
    const err = `no sandbox at ${url}: connection refused; start one, or say where it is by --url or SANDBOX_URL\n`;
    expect(await run({ url })).toEqual({ code: 2, out: '', err });
  });

  test.each<[string, CoverageInput, string]>([
    ['no address', { url: 'localhost' }, '--url: expected an address such as http://127.0.0.1:4600, got "localhost"'],
    ['another protocol', { url: 'ftp://127.0.0.1' }, '--url: expected an address such as'],
    ['no project', { project: '' }, '--project: expected the id of a project, got none'],
    ['no operation', { operation: '' }, '--operation: expected operationIds, separated by commas, got none'],
  ])('%s is named', async (_, input, why) => {
    const { code, err } = await run({ url: sandbox.url(), ...input });
    expect(code).toBe(2);
    expect(err).toContain(why);
  });

  test('an operation that there is not', async () => {
    const { code, err } = await run({ url: sandbox.url(), operation: 'asyncImportJob' });
    expect(code).toBe(2);
    expect(err).toContain('expected operationIds, got "asyncImportJob", did you mean asyncImportJobs?');
  });
});
