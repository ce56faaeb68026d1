/** A thousand slow clients, and some who read no answer: others are served, they are let go, what they took is given back. */
import { expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { useBuiltProgram } from '../harness/program.ts';
import { descriptorsOf, memoryOf } from '../rig/watched.ts';
import { useCrowds } from './crowd.ts';
import { expectLetGo, growth, headMs, lookedForMs, requestMs, serve, startPatient, unreadMs } from './patience.ts';

const program = useBuiltProgram();
const createCrowd = useCrowds();
const { slowClients, deafClients } = inject('amounts');

const head = 'POST /async/projects/slow/jobs HTTP/1.1\r\nhost: localhost\r\napikey: sandbox-key\r\n';
const body = 'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{"jobs":[';

test('clients that send slowly or do not read are disconnected, and do not block others', {
  timeout: 300_000,
}, async () => {
  const server = await startPatient(program);
  const { url, pid, child, ended } = server;
  const text = 'x'.repeat(6000);
  const jobs = Array.from({ length: 1000 }, (_, index) => ({ id: `J-${index}`, secondaryReference: text }));
  expect((await ask(`${url}/sync/projects/large/jobs/batch`, 'POST', { jobs })).status).toBe(200);
  const descriptors = growth(() => descriptorsOf(pid));
  const memory = growth(() => memoryOf(pid));
  const join = (first: string, drip?: string) =>
    createCrowd({ url, count: slowClients, first, ...(drip !== undefined && { drip }) });
  const silent = await join('');
  const slowHeads = await join('POST /async', 'x');
  const slowHeaders = await join(`${head}x-slow: `, 'x');
  const slowBodies = await join(head + body, ' ');
  const asking = 'GET /_sandbox/projects/large/jobs?limit=1000 HTTP/1.1\r\nhost: localhost\r\n\r\n';
  await createCrowd({ url, count: deafClients, first: asking, reads: false });
  const slowestMs = await serve(server, 50);
  console.log(
    `beside ${4 * slowClients + deafClients} slow clients a request took ${Math.round(slowestMs)} ms at most`,
  );
  expect(slowestMs).toBeLessThan(3000);
  expect(memory()).toBeLessThan(1000);
  await expectLetGo('with nothing sent', silent, headMs);
  await expectLetGo('with a slow first line', slowHeads, headMs);
  await expectLetGo('with slow headers', slowHeaders, headMs);
  expect(new Set([...slowHeads.answers, ...slowHeaders.answers])).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
  // Those who don't read can't see that they were: of theirs, only the bodies' are left.
  const max = { timeout: unreadMs + lookedForMs, interval: 250, message: 'those who do not read' };
  await expect.poll(descriptors, max).toBeLessThanOrEqual(slowClients + 5);
  await expectLetGo('with a slow body', slowBodies, requestMs);
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(5);
  expect(await serve(server, 5)).toBeLessThan(3000);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});
