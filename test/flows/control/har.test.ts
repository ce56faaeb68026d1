/** A project's journal as an HTTP archive: valid against the schema of HAR 1.2, complete, and without secrets. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const kept = 'test/kept/har-schema';

interface Har {
  readonly log: { readonly entries: readonly Record<string, Record<string, unknown>>[] };
}

async function download(project: string, query = ''): Promise<Har> {
  const response = await sandbox.control('GET', `/projects/${project}/requests?format=har${query}`);
  expect(response.status).toBe(200);
  return response.body as Har;
}

function findHarMistakes(har: Har): unknown {
  // `format` is checked by the schema's own patterns where it matters here.
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addMetaSchema(draft06);
  for (const file of readdirSync(kept).filter((name) => name.endsWith('.json')))
    ajv.addSchema(JSON.parse(readFileSync(`${kept}/${file}`, 'utf8')));
  const validate = ajv.getSchema('har.json#');
  if (!validate) throw new Error('no schema har.json');
  return validate(har) ? [] : validate.errors;
}

test('exports all requests of a project, in their order', async () => {
  const project = freshProject();
  const path = `/async/projects/${project}/jobs`;
  for (let n = 0; n < 120; n += 1) await sandbox.api('POST', path, { jobs: [{ id: `J-${n}` }] });
  await sandbox.api('POST', path, '{"é', { 'x-other': 'ä' });
  const har = await download(project, '&limit=5');
  expect(findHarMistakes(har)).toEqual([]);
  const { entries } = har.log;
  expect(entries).toHaveLength(121);
  expect(entries[0]).toMatchObject({
    request: { method: 'POST', url: `${sandbox.url()}${path}`, postData: { text: '{"jobs":[{"id":"J-0"}]}' } },
    response: { status: 202, statusText: 'Accepted', content: { mimeType: 'application/json' } },
    _operation: 'asyncImportJobs',
  });
  expect(entries.at(-1)).toMatchObject({
    request: { postData: { text: '{"é' }, bodySize: 4 },
    response: { status: 400 },
  });
});

test('masks keys and passwords, and keeps the filters of the list', async () => {
  const project = freshProject();
  const user = { username: 'ana', password: 'Hidden!', type: 'driver', access: 'DRIVER', visibleBy: 'S-1' };
  await sandbox.api('POST', `/projects/${project}/users?token=hidden`, user);
  await sandbox.api('POST', `/projects/${project}/locations`, {});
  const har = await download(project, '&operation=registerUser');
  expect(har.log.entries).toHaveLength(1);
  expect(findHarMistakes(har)).toEqual([]);
  expect(JSON.stringify(har)).not.toMatch(/hidden|sandbox-key/i);
  expect(har.log.entries[0]?.['request']).toMatchObject({ queryString: [{ name: 'token', value: '***' }] });
});

test('a broken connection has the status 0 and names the fault', async () => {
  const project = freshProject();
  const reset = { 'x-sandbox-scenario': 'lost-response' };
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [] }, reset).catch(() => undefined);
  const har = await download(project);
  expect(findHarMistakes(har)).toEqual([]);
  expect(har.log.entries[0]).toMatchObject({ response: { status: 0 } });
  const rows = await sandbox.control('GET', `/projects/${project}/requests?view=rows&status=0&counts=true`);
  expect(rows.body).toMatchObject({
    items: [{ status: 0, fault: 'close' }],
    counts: { status: { 0: 1 }, outcome: { failed: 1, faulted: 1 }, scenario: { 'lost-response': 1 } },
  });
});
