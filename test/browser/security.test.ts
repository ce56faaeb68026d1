/** The console shows what strangers sent and what scenarios of others say: as text, and to be pasted safely. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect } from 'vitest';
import { useBrowser } from '../harness/browser.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { copied, inBrowser, requestDetail, screenNames, show } from './page.ts';

const sandbox = useSandbox();
const browser = useBrowser();

/** As an element, as the value of an attribute, as a template; the page's policy would report what runs. */
const markup = `"><img src=x onerror="pwned=1"><script>pwned=1</script>\${pwned=1}'<b class=pwned>`;
/** What the page contains if the browser has read it as elements. Markup that is text has `&lt;`. */
const asMarkup = /<img src="?x"?|<script>pwned|<b class="?pwned/;
const project = `p${markup}`;
const at = encodeURIComponent(project);
let requestId = '';

/** Ends a paste, and then is a command. */
const pasted = '\u001b[201~\u009b2J\u0007\nprintf PWNED\n';

beforeAll(async () => {
  const headers = { 'x-note': `'; printf PWNED; '` };
  const geoJson = { type: 'Point', coordinates: [153, -27] };
  const job = {
    id: `J${markup}`,
    [markup]: markup,
    address: { streetAddress: markup, geoJson },
    attributes: { [markup]: markup },
  };
  const rules = [
    { name: markup, when: { item: { id: 'F*' } }, then: { fail: markup } },
    { name: 'page', when: { item: { id: 'P*' } }, then: { respond: { status: 503, body: markup } } },
  ];
  const scenario = { name: 'markup', description: markup, rules };
  expect((await sandbox.control('PUT', `/projects/${at}/scenarios`, { scenarios: [scenario] })).status).toBe(200);
  await sandbox.control('PUT', '/scenarios/markup', scenario);
  await sandbox.freeze(at);
  const path = `/async/projects/${at}/jobs`;
  await sandbox.api('POST', path, { jobs: [job, { id: `F${markup}` }, { id: `x${markup}`, status: markup }] });
  const keyed = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  await fetch(sandbox.url() + path, { method: 'POST', headers: keyed, body: '{"jobs":[{"id":"P-1"}]}' });
  await sandbox.api('POST', `/projects/${at}/locations`, {
    deviceId: `v${markup}`,
    eventDateTime: '2026-03-02T09:00:00Z',
    geoJson,
  });
  await sandbox.advance(at);
  const broken = await sandbox.api('POST', `${path}?note='`, `{"jobs": ${pasted}`, headers);
  requestId = String(broken.headers['x-request-id']);
});

inBrowser(
  'markup is text on every screen, in requests, responses and rules',
  async () => {
    const requests = await sandbox.items(at, 'requests');
    const page = await browser.open(sandbox.url(), `/live?project=${at}`);
    const isText = async (): Promise<void> => {
      await browser.settle(page);
      expect(await page.evaluate('typeof pwned')).toBe('undefined');
      expect(await page.content()).not.toMatch(asMarkup);
    };
    for (const name of screenNames) {
      await show(page, `/${name}?project=${at}`);
      await isText();
    }
    const texts: string[] = [];
    for (const { id } of requests) {
      await show(page, `/live?project=${at}&request=${id}`);
      await requestDetail(page)
        .getByRole('code')
        .filter({ hasText: String(id) })
        .waitFor();
      await requestDetail(page).getByRole('button', { name: 'Copy as curl' }).waitFor();
      texts.push((await requestDetail(page).textContent()) ?? '');
      await isText();
    }
    expect(texts.join('')).toContain('<b class=pwned>');
  },
  60_000,
);

inBrowser('a copied command has no input that controls the shell or the terminal', async () => {
  const page = await browser.open(sandbox.url(), `/live?project=${at}&request=${requestId}`);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByText('Copied.').waitFor();
  const command = await copied(page);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(command).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  const words = command.replace(/^curl /, "printf '%s\\0' ");
  const { stdout } = await promisify(execFile)('bash', ['-c', words], {
    env: { LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin' },
  });
  expect(stdout.split('\0')).toEqual(expect.arrayContaining([`{"jobs": ${pasted}`, `x-note: '; printf PWNED; '`]));
});
