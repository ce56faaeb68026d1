/** Small inputs that would become large, or never end: each is answered soon, and the next request as ever. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { send } from '../flows/refusals.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

afterEach(async () => {
  expect((await sandbox.control('GET', '/health')).status).toBe(200);
});

describe('a scenario stored by HTTP', () => {
  const put = (text: string) => sandbox.control('PUT', '/scenarios/bomb', text, { 'content-type': 'application/yaml' });

  test.each([
    [
      'aliases of aliases',
      `name: bomb\nrules:\n  - &a { then: { fail: x } }\n${Array.from({ length: 30 }, (_, n) => `x${n}: &x${n} [${n === 0 ? '1' : `*x${n - 1}, *x${n - 1}`}]`).join('\n')}`,
    ],
    ['an alias of itself', 'name: bomb\nrules: &a\n  - *a'],
    ['depth', `name: bomb\nrules: ${'['.repeat(100_000)}`],
    ['depth by indentation', Array.from({ length: 900 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
    ['a tag', 'name: bomb\nrules: !!js/function "function () { process.exit() }"'],
    ['a template', 'name: "#{process.exit()}"\nrules: []'],
    ['very many mistakes', `name: bomb\nrules:\n${'  - then: { fial: x }\n'.repeat(20_000)}`],
  ])('with %s is rejected quickly, with a reason', async (_what, text) => {
    const answer = await put(text);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.length).toBeGreaterThan(0);
    expect(answer.text.length).toBeLessThan(100_000);
  });

  test('with backtracking expressions and globs of many stars takes no longer', async () => {
    const project = freshProject();
    const rules = [
      { when: { item: { where: { note: { matches: '^(a+)+$' } } } }, then: { fail: 'x' } },
      { when: { item: { where: { note: `${'*a'.repeat(200)}*b` } } }, then: { fail: 'x' } },
      { when: { item: { where: { note: { matches: '(.*)*(.*)*(.*)*y' } } } }, then: { fail: 'x' } },
    ];
    const scenarios = [{ name: 'slow', rules }];
    expect((await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios })).status).toBe(200);
    const jobs = Array.from({ length: 20 }, (_, n) => ({ id: `J-${n}`, attributes: { note: `${'a'.repeat(5000)}!` } }));
    expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs })).status).toBe(202);
  });
});

describe('a body', () => {
  const megabytes = Buffer.alloc(17 * 1024 ** 2, ' ');

  test.each([
    ['gzip', gzipSync(megabytes)],
    ['br', brotliCompressSync(megabytes)],
    ['deflate', deflateSync(megabytes)],
  ])('is not decompressed beyond the limit: %s', async (encoding, body) => {
    expect(body.length).toBeLessThan(100_000);
    for (const path of ['/async/projects/p/jobs', '/_sandbox/projects/p/scenarios']) {
      const method = path.startsWith('/_') ? 'PUT' : 'POST';
      const headers = { apikey: 'sandbox-key', 'content-type': 'application/json', 'content-encoding': encoding };
      const answer = await send(sandbox, { method, path, headers, body });
      expect(answer.status).toBe(413);
      expect(answer.body.message).toMatch(new RegExp(`bytes after decompression \\(${encoding}\\), got more\\. [A-Z]`));
    }
  });

  test.each([
    ['a number of 100,000 digits', '9'.repeat(100_000)],
    ['a number beyond all', '1e99999'],
    ['a number that is nearly nothing', '1e-99999'],
    ['a long fraction', `0.${'1'.repeat(100_000)}`],
    ['minus nothing', '-0'],
  ])('with %s gets a response, and so do its views', async (_what, number) => {
    const project = freshProject();
    const body = `{"jobs":[{"id":"J","attributes":{"n":${number}}}]}`;
    const answer = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, body);
    expect(answer.status).toBe(200);
    for (const path of ['/jobs', '/requests', '/snapshot', '/recording']) {
      expect((await sandbox.control('GET', `/projects/${project}${path}`)).status, path).toBe(200);
    }
  });
});

test('a snapshot with names of prototypes changes no prototype', async () => {
  const project = freshProject();
  const taken = (await sandbox.control('GET', `/projects/${project}/snapshot`)).text;
  const body = taken.replace('{', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},');
  expect((await sandbox.control('PUT', `/projects/${project}/snapshot`, body)).status).toBe(400);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
