/** The console as a browser gets it: files of its own, a strict policy, and nothing that leads out of their folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const tiled = useSandbox({ adminToken: 'token', mapTiles: 'https://tiles.example/{z}/{x}/{y}.png' });

const get = (path: string, headers: Record<string, string> = {}, url = sandbox.url()) =>
  fetch(url + path, { headers, redirect: 'manual' });

test('the root redirects a browser to the console, and sends two lines of help to other clients', async () => {
  const browser = await get('/', { accept: 'text/html,application/xhtml+xml' });
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/_sandbox/']);
  const other = await get('/', { accept: '*/*' });
  expect(other.status).toBe(200);
  expect((await other.text()).trim().split('\n')).toHaveLength(2);
});

test('serves the page and all its files with a policy that allows no inline and no foreign content', async () => {
  const page = await get('/_sandbox/');
  const text = await page.text();
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  expect(page.headers.get('cache-control')).toBe('no-cache');
  expect(text).not.toMatch(/<style|style=|<script>| on\w+=/);
  const named = [...text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1]);
  expect(named.length).toBeGreaterThan(2);
  for (const name of named) {
    const file = await get(`/_sandbox/${name}`);
    expect([file.status, file.headers.get('x-content-type-options')], name).toEqual([200, 'nosniff']);
    if (name?.startsWith('assets/')) expect(file.headers.get('cache-control')).toContain('immutable');
  }
});

test('the page needs no login, and its policy allows map tiles only from the origin of the option', async () => {
  const page = await get('/_sandbox/', {}, tiled.url());
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data: https://tiles.example;");
});

test.each([
  '/_sandbox/assets/',
  '/_sandbox/assets/../main.js',
  '/_sandbox/assets/%2e%2e/main.js',
  '/_sandbox/..%2fmain.js',
  '/_sandbox/main.js',
  '/_sandbox/console/index.html',
  '/_sandbox/index',
])('does not serve %s', async (path) => {
  const answer = await get(path);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('application/json');
});

test('a range that a file does not have, or a version that it is not, is the mistake of the client', async () => {
  const range = await get('/_sandbox/', { range: 'bytes=900000000-' });
  expect([range.status, range.headers.get('content-range')]).toEqual([416, expect.stringMatching(/^bytes \*\/\d+$/)]);
  expect((await get('/_sandbox/', { 'if-match': '"another"' })).status).toBe(412);
});

test('the settings contain no secret', async () => {
  const { body } = await sandbox.control('GET', '/settings');
  expect(body).toMatchObject({
    seed: 'field-sandbox',
    strict: false,
    clock: 'real',
    apiKey: 'sandbox-key',
    mapTiles: null,
  });
  const admin = { authorization: 'Bearer token' };
  expect((await tiled.control('GET', '/settings', undefined, admin)).body.mapTiles).toBe(
    'https://tiles.example/{z}/{x}/{y}.png',
  );
});

test('a screen has under 15 kB of scripts of its own, compressed, except what is loaded when used', () => {
  const folder = 'dist/console/assets';
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const large = scripts.filter((name) => gzipSync(readFileSync(`${folder}/${name}`)).length >= 15_000);
  // The map and the editor of scenarios, which have libraries. Every page loads what is shared.
  // A hash of eight characters, which may be hyphens too.
  expect(large.map((name) => name.replace(/-.{8}\.js$/, ''))).toEqual(['map', 'scenario', 'shared']);
});
