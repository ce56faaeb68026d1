/** `field-sandbox diff`: which differences between two recordings count. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runDiff } from '../../src/cli/diff/command.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const folder = mkdtempSync(path.join(tmpdir(), 'diff-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Send = (method: string, path: string, body: object) => Promise<unknown>;

/** Lets a story happen in a new project. Returns the file of its recording. */
async function record(story: (send: Send, project: string) => Promise<unknown>): Promise<string> {
  const project = freshProject();
  await sandbox.freeze(project);
  await story((method, at, body) => sandbox.api(method, at.replace('PROJECT', project), body), project);
  await sandbox.advance(project);
  const file = path.join(folder, `${project}.json`);
  writeFileSync(file, (await sandbox.control('GET', `/projects/${project}/recording`)).text);
  return file;
}

async function diff(one: string, other: string) {
  let [out, err] = ['', ''];
  const print = (text: string): void => {
    out += text;
  };
  const printError = (text: string): void => {
    err += text;
  };
  const code = await runDiff([one, other], print, printError);
  return { code, out: out.replaceAll(`${folder}/`, ''), err: err.replaceAll(`${folder}/`, '') };
}

const jobs = (send: Send, ...ids: readonly string[]) =>
  send('POST', '/async/projects/PROJECT/jobs', { jobs: ids.map((id) => ({ id })) });

describe('the same', () => {
  test('in another project, at another time, with other generated ids', async () => {
    const story = async (send: Send, project: string) => {
      await jobs(send, 'J-1', 'FAIL-1');
      await send('POST', '/sync/projects/PROJECT/orders', { orders: [{ id: 'O-1', description: project }] });
      await send('POST', '/sync/projects/PROJECT/jobs', { id: 'J-1', status: 'PENDING', address: {} });
    };
    const one = await record(story);
    expect(await diff(one, await record(story))).toEqual({
      code: 0,
      out: 'same: 3 requests, 2 records, 1 callback\n',
      err: '',
    });
    expect((await diff(one, one)).code).toBe(0);
  });
});

describe('different', () => {
  test('a request that only one has, its records and callbacks', async () => {
    const one = await record((send) => jobs(send, 'J-1'));
    const other = await record(async (send, project) => {
      await jobs(send, 'J-1');
      await jobs(send, 'J-2', 'FAIL-1');
      expect(project).toBeTruthy();
    });
    const name = path.basename(other);
    expect(await diff(one, other)).toEqual({
      code: 1,
      out: `different: 1 of 2 requests, 1 of 2 records, 1 of 1 callback
requests
  only in ${name}: POST /async/projects/${name.slice(0, -5)}/jobs (change 3)
records
  only in ${name}: jobs J-2
callbacks
  only in ${name}: jobs.import.failed of asyncImportJobs: FAIL-1
`,
      err: '',
    });
  });

  test('the content of a request, its response and its record', async () => {
    const job = (status: string) => (send: Send) =>
      send('POST', '/sync/projects/PROJECT/jobs', { id: 'J-1', status, address: {} });
    const { code, out } = await diff(await record(job('PENDING')), await record(job('DISPATCH')));
    expect(code).toBe(1);
    expect(out).toContain('    /request/body/status: "PENDING" → "DISPATCH"\n');
    expect(out).toContain('records\n  jobs J-1\n    /status: "PENDING" → "DISPATCH"\n');
  });

  test('a retry pairs with the request that got the same response', async () => {
    const one = await record((send) => jobs(send, 'J-1'));
    const other = await record(async (send, project) => {
      const rules = [{ times: 1, then: { respond: { status: 503 } } }];
      await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'once', rules }] });
      await jobs(send, 'J-1');
      await jobs(send, 'J-1');
    });
    const { out } = await diff(one, other);
    expect(out).toMatch(
      /^different: 1 of 2 requests, 0 of 1 record, 0 of 0 callbacks\nrequests\n {2}only in .*\(change 3\)\n$/,
    );
  });

  test('keys that objects inherit in JavaScript', async () => {
    const order = (more: object) => (send: Send) =>
      send('POST', '/sync/projects/PROJECT/orders', { orders: [{ id: 'O-1', ...more }] });
    const { out } = await diff(await record(order({})), await record(order({ constructor: 'x', 'a/b~c': 1 })));
    expect(out).toContain('    /request/body/orders/0/constructor: none → "x"\n');
    expect(out).toContain('    /request/body/orders/0/a~1b~0c: none → 1\n');
  });

  test('at most 20 of each part are listed', async () => {
    const one = await record((send) => jobs(send, 'J-0'));
    const other = await record((send) => jobs(send, ...Array.from({ length: 24 }, (_, n) => `J-${n}`)));
    const { out } = await diff(one, other);
    expect(out.match(/^ {2}only in .*: jobs J-/gm)).toHaveLength(20);
    expect(out).toContain('\n  and 3 more differences\n');
    expect(out).toMatch(/\/request\/body\/jobs\/1: none → \{"id":"J-1"\}\n(.*\n){3} {4}and \d+ more values\n/);
  });
});
