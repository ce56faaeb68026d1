/** Starts that get in each other's way, at one port or one folder: one has it, and the others say so and end with 2. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { findFreePort } from '../cluster/harness/free-port.ts';
import { ask } from '../flows/data-steps.ts';
import { type ProcessResult, type Running, useBuiltProgram } from '../harness/program.ts';

const program = useBuiltProgram();
const { starts, rivalries } = inject('amounts');

/** Starts so many at once; those that are ready, and how the others ended. */
async function startMany(args: readonly string[]): Promise<{ winners: Running[]; losers: ProcessResult[] }> {
  const winners: Running[] = [];
  const losers: ProcessResult[] = [];
  const startOne = async (): Promise<void> => {
    const running = program.start([...args, '--json', '--log', 'off']);
    const isReady = await running.waitForOutput('"event":"ready"').then(
      () => true,
      () => false,
    );
    if (isReady) winners.push(running);
    else losers.push(await running.ended);
  };
  await Promise.all(Array.from({ length: starts }, startOne));
  return { winners, losers };
}

test('a port is won by exactly one of several simultaneous starts', async () => {
  for (let rivalry = 1; rivalry <= rivalries; rivalry += 1) {
    const port = await findFreePort();
    const { winners, losers } = await startMany(['--port', String(port)]);
    const err = `port ${port} is in use; choose another with --port (0 picks a free one)\n`;
    expect(losers).toEqual(Array.from({ length: starts - 1 }, () => ({ code: 2, out: '', err })));
    const [winner] = winners as [Running];
    expect((await ask(`http://127.0.0.1:${port}/_sandbox/health`, 'GET')).status).toBe(200);
    const data = path.join(program.folder, 'given-back');
    expect(await program.run(['--port', String(port), '--data', data])).toEqual({ code: 2, out: '', err });
    expect(existsSync(path.join(data, '.lock'))).toBe(false);
    expect(await winner.stop()).toBe(0);
    console.log(`port ${rivalry} of ${rivalries}: one of ${starts} has it`);
  }
});

test('exactly one of several simultaneous starts gets the folder of a killed server', async () => {
  const folder = path.join(program.folder, 'wanted');
  const args = ['--port', '0', '--data', folder];
  const inUse = new RegExp(`^--data: ${folder} is (in use by another sandbox|being acquired by another sandbox).*\n$`);
  for (let rivalry = 1; rivalry <= rivalries; rivalry += 1) {
    const { winners, losers } = await startMany(args);
    for (const loser of losers) expect(loser).toEqual({ code: 2, out: '', err: expect.stringMatching(inUse) });
    expect(winners).toHaveLength(1);
    const [winner] = winners as [Running];
    const late = await program.run(args);
    expect(late.err).toContain(`is in use by another sandbox (process ${winner.child.pid})`);
    expect(late.code).toBe(2);
    await winner.stop('SIGKILL');
    console.log(`folder ${rivalry} of ${rivalries}: one of ${starts} has it`);
  }
  const last = await program.startReady(['--data', folder]);
  expect(await last.stop()).toBe(0);
});
