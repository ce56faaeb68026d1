/** `run --record`: which recordings it writes, what the reports say, and that they can be replayed. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();
const inFolder = (name: string): string => path.join(program.folder, name);

const story = `
  await jobs(2); await control('POST', '/projects/p/reset'); await jobs(1);
  await send('POST', '/async/projects/Q/jobs', { jobs: [{ id: 'FAIL-1' }] });`;

test('writes each life of each project, names the files in report and JUnit, and all replay', async () => {
  const folder = inFolder('all');
  const junit = inFolder('all.xml');
  const { code, out } = await runCommand(['run', '--record', folder, '--junit', junit, '--', ...script(story)]);
  expect(code).toBe(0);
  const files = ['%51.json', 'p.json', 'p.2.json'].map((name) => path.join(folder, name));
  expect(out).toContain(`\n3 recordings\n${files.map((file) => `  ${file}\n`).join('')}`);
  expect(readFileSync(junit, 'utf8')).toContain(`<property name="recordings" value="${files.join(' ')}"/>`);
  const replayed = await runCommand(['replay', folder]);
  expect(replayed.code).toBe(0);
  expect(replayed.out).toContain(`✓ ${files[0]}: identical: 1 request, 1 callback; `);
  expect(replayed.out).toContain('0 of 3 recordings differ\n');
});

test('recordings under a rule with scope: server replay too', async () => {
  const folder = inFolder('server');
  const scenario = inFolder('second.yaml');
  writeFileSync(
    scenario,
    'name: second\nrules:\n  - { scope: server, when: { request: { nth: 2 } }, then: { respond: { status: 503 } } }\n',
  );
  const text = "for (const project of ['a', 'b', 'c']) await jobs(1, project);";
  const { out } = await runCommand(['run', '--record', folder, '--scenario', scenario, '--', ...script(text)]);
  expect(out).toContain('asyncImportJobs: 202 × 2, 503 × 1');
  expect((await runCommand(['replay', folder])).out).toContain('0 of 3 recordings differ\n');
});

test('deletes the recordings of an earlier run, and writes only failed runs with --record-on-failure', async () => {
  const folder = inFolder('failed');
  mkdirSync(folder);
  const run = (text: string) =>
    runCommand(['run', '--record', folder, '--record-on-failure', '--', ...script(`${story}${text}`)]);
  expect(await run('process.exit(3)')).toMatchObject({ code: 3, out: expect.stringContaining('\n3 recordings\n') });
  expect(readdirSync(folder)).toHaveLength(3);
  writeFileSync(path.join(folder, 'notes.json'), '{}');
  expect(await run('')).toMatchObject({ code: 0, out: expect.not.stringContaining('recording') });
  expect(readdirSync(folder)).toEqual(['notes.json']);
});

test('a run that a signal ends while work is pending writes them too', async () => {
  const folder = inFolder('signal');
  const receiver = createServer();
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  const called = once(receiver, 'connection');
  const command = script("await send('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-LATE-1' }] })");
  const url = `http://127.0.0.1:${port}`;
  const running = program.start(['run', '--record', folder, '--callback-url', url, '--', ...command]);
  const [socket] = (await called) as [Socket];
  running.child.kill('SIGTERM');
  const { code, out, err } = await running.ended;
  socket.destroy();
  receiver.close();
  expect({ code, out }).toEqual({ code: 143, out: '' });
  expect(err).toContain('SIGTERM: stopped while work was pending, so there is no report\n');
  expect(err).toContain(`1 recording\n  ${path.join(folder, 'p.json')}\n`);
  expect(existsSync(path.join(folder, 'p.json'))).toBe(true);
});
