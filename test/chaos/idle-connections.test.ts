/** Thousands of connections on which nothing comes: others are served, they are let go, what they took is given back. */
import { execFileSync } from 'node:child_process';
import { expect, inject, test } from 'vitest';
import { useBuiltProgram } from '../harness/program.ts';
import { descriptorsOf, memoryOf } from '../rig/watched.ts';
import { useCrowds } from './crowd.ts';
import { expectLetGo, growth, headMs, serve, startPatient } from './patience.ts';

const program = useBuiltProgram();
const createCrowd = useCrowds();
const { idleConnections } = inject('amounts');

/** Node lets a process have as many as it may; of that the shell knows. */
const maxDescriptors = Number(execFileSync('bash', ['-c', 'ulimit -Hn']).toString().replace('unlimited', '1e9'));
const tooFew = maxDescriptors < idleConnections + 1000;
if (tooFew) console.warn(`SKIPPED: idle connections, since a process may have ${maxDescriptors} descriptors.`);

test.skipIf(tooFew)('idle connections are closed, and do not block other clients', { timeout: 300_000 }, async () => {
  const server = await startPatient(program);
  const { url, pid, child, ended } = server;
  const descriptors = growth(() => descriptorsOf(pid));
  const memory = growth(() => memoryOf(pid));
  const idle = await createCrowd({ url, count: idleConnections, first: '' });
  const slowestMs = await serve(server, 50);
  const [mb, open] = [memory(), descriptors()];
  console.log(
    `beside ${open} connections a request took ${Math.round(slowestMs)} ms at most, ${Math.round(mb)} MB more`,
  );
  expect(slowestMs).toBeLessThan(3000);
  expect(mb).toBeLessThan(50 + idleConnections * 0.05);
  await expectLetGo('that only connected', idle, headMs);
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(5);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});
