/** Processes that keep projects in files: killed at any moment they lose nothing that was answered; wrong folders end them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { useProgram } from '../harness/program.ts';
import { useReceiver } from '../harness/receiver.ts';

const program = useProgram();
const receiver = useReceiver();
const folderOf = (name: string) => path.join(program.folder, name);

/** A sandbox that is ready. */
async function start(folder: string, ...more: readonly string[]) {
  const running = program.start(['--port', '0', '--json', '--log', 'off', '--data', folder, ...more]);
  let out = '';
  running.child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  await running.wrote('\n');
  const { url } = JSON.parse(out.split('\n')[0] ?? '') as { url: string };
  return { ...running, url };
}

test('killed between answers, it has all that was answered when it is started again', { timeout: 60_000 }, async () => {
  const folder = folderOf('killed');
  const answered = new Map<string, Set<string>>([
    ['p', new Set()],
    ['Q', new Set()],
  ]);
  const ids = new Set<string>();
  let requests = 0;
  for (let round = 0; round < 4; round += 1) {
    const { url, child, ended } = await start(folder);
    const client = async (project: string): Promise<void> => {
      for (;;) {
        const id = `J-${requests++}`;
        const jobs = [{ id, notes: 'x'.repeat(2000) }];
        const told = await ask(`${url}/sync/projects/${project}/jobs/batch`, 'POST', { jobs }).catch(() => undefined);
        if (!told) return;
        expect(told.status).toBe(200);
        answered.get(project)?.add(id);
        expect(ids.has(told.id ?? '')).toBe(false);
        ids.add(told.id ?? '');
        if (ids.size >= 40 * (round + 1)) child.kill('SIGKILL');
      }
    };
    await Promise.all(['p', 'p', 'p', 'Q', 'Q'].map(client));
    expect((await ended).code).toBeNull();
  }
  const { url, child, ended } = await start(folder);
  for (const [project, wanted] of answered) {
    const { body } = await ask(`${url}/_sandbox/projects/${project}/jobs?limit=1000`, 'GET');
    const kept = new Set(body.items.map(({ id }: { id: string }) => id));
    expect([...wanted].filter((id) => !kept.has(id))).toEqual([]);
    expect(wanted.size).toBeGreaterThan(10);
  }
  child.kill('SIGTERM');
  await ended;
});

test('killed while a callback is sent, it sends that again, with the same id', async () => {
  const folder = folderOf('sending');
  receiver.answer('hang');
  const first = await start(folder, '--callback-url', receiver.url());
  const told = await ask(`${first.url}/async/projects/p/jobs`, 'POST', { jobs: [{ id: 'J' }, { id: 'FAIL-1' }] });
  expect(told.status).toBe(202);
  await receiver.came(1);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await start(folder, '--callback-url', receiver.url());
  await receiver.came(2);
  const [one, other] = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(one).toBe(other);
  const project = `${second.url}/_sandbox/projects/p`;
  const { items } = (await ask(`${project}/callbacks?state=delivered&await=5s`, 'GET')).body;
  expect(items.map(({ id }: { id: string }) => id)).toEqual([one]);
  expect((await ask(`${project}/jobs`, 'GET')).body.items).toMatchObject([{ id: 'J' }]);
  second.child.kill('SIGTERM');
  await second.ended;
});

test('a folder that another process uses is refused; one that was killed is not', async () => {
  const folder = folderOf('shared');
  const first = await start(folder);
  const second = await program.run(['--port', '0', '--data', folder]);
  expect(second).toMatchObject({ code: 2, out: '' });
  expect(second.err).toContain(`--data: ${folder} is in use by another sandbox (process ${first.child.pid})`);
  first.child.kill('SIGKILL');
  await first.ended;
  const third = await start(folder);
  third.child.kill('SIGTERM');
  await third.ended;
});

test('what is no folder, or holds what is no world, ends it with 2 and no stack', async () => {
  const file = folderOf('a-file');
  writeFileSync(file, 'x');
  expect(await program.run(['--port', '0', '--data', file])).toMatchObject({
    code: 2,
    err: `--data: ${file} can't be made (EEXIST)\n`,
  });
  expect(await program.run(['--port', '0', '--data', path.join(file, 'below')])).toMatchObject({
    code: 2,
    err: `--data: ${file}/below can't be made (ENOTDIR)\n`,
  });
  const folder = folderOf('foreign');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'p.json'), '{"jobs":[]}');
  writeFileSync(path.join(folder, 'q.json'), '{"jobs":[');
  const { code, err } = await program.run(['--port', '0', '--data', folder]);
  expect([code, err.split('\n').length]).toEqual([2, 3]);
  expect(err).toContain(`${folder}/p.json: not a world`);
  expect(err).toContain(`${folder}/q.json: not JSON`);
  expect(readFileSync(path.join(folder, 'q.json'), 'utf8')).toBe('{"jobs":[');
});
