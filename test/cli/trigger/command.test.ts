/** `trigger`: makes a callback of a running sandbox, and shows what came of it. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const guarded = useSandbox({ adminToken: 'let-me-in', apiKeys: ['acme-key=acme'] });
const receiver = useReceiver();

const type = 'jobs.import.failed';
const trigger = (...args: string[]) => runCommand(['trigger', ...args], { SANDBOX_URL: sandbox.url() });

async function projectWith(url?: string): Promise<string> {
  const project = freshProject();
  if (url !== undefined) await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url });
  return project;
}

const idsOut = (text: string): string => text.replace(/msg_[0-9a-f]{16}/g, 'msg_ID');

describe('a callback', () => {
  test('has what the options say', async () => {
    const project = await projectWith(receiver.url());
    const data = path.join(tmpdir(), `trigger-${process.pid}-${project}.json`);
    writeFileSync(data, '{"subProjectId":"north"}');
    const entries = ['--id', 'ORD-1', '--id', 'ORD-2', '--reason', 'No such street'];
    const { code, out } = await trigger(
      type,
      '--project',
      project,
      ...entries,
      '--data',
      data,
      '--wait',
      '10s',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ type, state: 'delivered', triggered: true, attempts: [{ status: 204 }] });
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).toMatchObject({
      subProjectId: 'north',
      failed: [
        { id: 'ORD-1', reason: 'No such street' },
        { id: 'ORD-2', reason: 'No such street' },
      ],
    });
    const other = await projectWith();
    const named = await trigger('jobs.update.failed', '--project', other, '--operation', 'asyncUpdateJob');
    expect(named).toMatchObject({ code: 0, err: '' });
    expect(idsOut(named.out)).toBe(`msg_ID jobs.update.failed of ${other} is scheduled\n`);
  });

  test('that is not delivered in time ends with 1: a retry waits for the frozen clock', async () => {
    receiver.answer(401);
    const project = await projectWith(receiver.url());
    const { code, out, err } = await trigger(type, '--project', project, '--forge', 'invalid', '--wait', '2s');
    expect(code).toBe(1);
    expect(idsOut(out)).toBe(`09:30:00.000 ${project}    ${type}  attempt 1  receiver 401, retry in 5s  msg_ID\n`);
    expect(err).toBe(
      'not delivered: after 2s, the next attempt is due at 2026-03-02T09:30:05.000Z; the clock is frozen: advance it\n',
    );
  });

  test('that has ended otherwise is not waited for any longer', async () => {
    const inbox = await trigger(type, '--project', await projectWith(), '--wait', '1h');
    expect(inbox).toMatchObject({
      code: 1,
      out: expect.stringContaining('in the inbox'),
      err: expect.stringContaining('no callback URL'),
    });
    receiver.answer(410);
    const gone = await trigger(type, '--project', await projectWith(receiver.url()), '--wait', '1h');
    expect(gone).toMatchObject({
      code: 1,
      out: expect.stringContaining('receiver 410, failed'),
      err: expect.stringContaining('it has failed'),
    });
    const project = await projectWith(receiver.url());
    receiver.answer(410);
    await trigger(type, '--project', project, '--wait', '1h');
    expect(await trigger(type, '--project', project, '--wait', '1h')).toMatchObject({
      code: 1,
      err: expect.stringContaining('a 410 or a setting has disabled the callbacks of the project'),
    });
  });
});

describe('a mistake ends with 2', () => {
  test.each<[string[], string]>([
    [[type, '--project', 'p', '--id', ''], '--id: expected a text that is not empty'],
    [[type, '--project', 'p', '--operation', 'asyncImportJob'], '--operation: expected an operationId'],
    [[type, '--project', 'p', '--forge', 'late'], '--forge: expected one of invalid, missing, stale, got "late"'],
    [[type, '--project', 'p', '--copies', '101'], '--copies: expected at most 100, got number 101'],
  ])('%j', async (args, message) => {
    const { code, out, err } = await trigger(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  test('without access, and for the project of another key', async () => {
    const url = ['--url', guarded.url()];
    const without = await runCommand(['trigger', type, '--project', 'acme', ...url]);
    expect(without).toMatchObject({ code: 2, err: expect.stringContaining('it requires its admin token') });
    const other = await runCommand(['trigger', type, '--project', 'other', ...url, '--api-key', 'acme-key']);
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('this API key is for another project') });
    expect((await runCommand(['trigger', type, '--project', 'acme', ...url, '--api-key', 'acme-key'])).code).toBe(0);
    const admin = { SANDBOX_ADMIN_TOKEN: 'let-me-in' };
    expect((await runCommand(['trigger', type, '--project', 'acme', ...url], admin)).code).toBe(0);
  });
});
