/** `listen --answer count`: the local receiver's answers deliver callbacks or start retries, as docs/guides/callbacks.md shows. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runListen } from '../../../src/cli/listen/command.ts';
import { createIo } from '../../harness/cli.ts';
import { runToEnd, useListeners } from '../../harness/listener.ts';
import { useTcpProxy } from '../../harness/tcp-proxy.ts';
import { useListenSteps } from './steps.ts';

const { sandbox, receiver, project, failOnce, receivedIds } = useListenSteps();
const gate = useTcpProxy(sandbox.url);
const listener = useListeners();

const target = (more: object = {}) => ({ url: sandbox.url(), project: project(), forwardTo: receiver.url(), ...more });
/** Replaces times of day and durations, and removes colours. */
const toPlain = (text: string) =>
  stripVTControlCharacters(text)
    .replaceAll(/\d\d:\d\d:[\d.]+/g, 'TIME')
    .replaceAll(/\d+ ms/g, 'N ms');

const callbacks = async () => (await sandbox.control('GET', `/projects/${project()}/callbacks`)).body.items;

test('the answers of the receiver decide what the attempts come to', async () => {
  receiver.answer(500, 503, 404, 302, 500);
  const { waitFor, attempts, notices } = await listener(target());
  await waitFor('listening', 1);
  expect(notices).toEqual([
    { event: 'listening', url: sandbox.url(), project: project(), forwardTo: receiver.url(), answer: 'count' },
  ]);
  await failOnce('FAIL-GEOCODE-1');
  const [{ id, state, attempts: made }] = await callbacks();
  expect(state).toBe('failed');
  expect(made.map(({ status }: { status: number }) => status)).toEqual([500, 503, 404, 302, 500]);
  expect(receiver.received.map(({ body }) => body)).toEqual(made.map(({ sent }: { sent: string }) => sent));
  await waitFor('callback', 5);
  expect(attempts()[1]).toEqual({
    event: 'callback',
    at: expect.any(String),
    project: project(),
    type: 'jobs.import.failed',
    id,
    attempt: 2,
    failed: [{ id: 'FAIL-GEOCODE-1', reason: 'Address could not be geocoded' }],
    answer: 'counted',
    forwarded: { status: 503, ms: 0 },
  });
});

describe('how answers count', () => {
  const setUrl = () =>
    sandbox.control('PUT', `/projects/${project()}/callback-endpoint`, { url: `${receiver.url()}/own` });

  test('with a callback URL they are shown only, unless --answer count asks for more', async () => {
    await setUrl();
    const shown = await listener(target());
    await shown.waitFor('listening', 1);
    expect(shown.notices[0]).not.toHaveProperty('answer');
    const counted = await listener(target({ answer: 'count', forwardTo: `${receiver.url()}/mine` }));
    await counted.waitFor('listening', 1);
    await failOnce();
    await shown.waitFor('callback', 1);
    expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(['/', '/mine']);
    expect((await callbacks())[0].state).toBe('delivered');
  });

  test('--answer show leaves callbacks in the inbox', async () => {
    receiver.handle(() => 500);
    const { waitFor } = await listener(target({ answer: 'show' }));
    await waitFor('listening', 1);
    await failOnce();
    await waitFor('callback', 1);
    expect((await callbacks())[0].state).toBe('inbox');
  });
});

test('--since first sends earlier callbacks, oldest first, as redeliveries', async () => {
  for (const id of ['FAIL-A', 'FAIL-B']) await failOnce(id);
  const { waitFor, notices } = await listener(target({ since: 'first' }));
  await waitFor('callback', 2);
  expect(notices[1]).toEqual({ event: 'since', since: 'first' });
  expect(receivedIds()).toEqual(['FAIL-A', 'FAIL-B']);
  const all = await callbacks();
  expect(all.map(({ attempts: [, second] }: { attempts: { cause: string }[] }) => second?.cause)).toEqual([
    'redelivery',
    'redelivery',
  ]);
});

describe('a second listener', () => {
  test('is refused with exit code 3, and told since when and from where', async () => {
    const { waitFor } = await listener(target());
    await waitFor('listening', 1);
    const { listener: first } = (await sandbox.control('GET', `/projects/${project()}/callback-endpoint`)).body;
    expect(await runToEnd(target())).toEqual({
      code: 3,
      out: '',
      err: `${sandbox.url()}: this project has a listener since ${first.since}, from 127.0.0.1: end it, or take over (takeover=true, --takeover)\n`,
    });
  });

  test('with --takeover ends the first one with exit code 3', async () => {
    const io = createIo();
    const first = runListen(target(), io);
    await expect.poll(() => io.written.out).toContain('listening');
    const second = await listener(target({ takeover: true }));
    await second.waitFor('listening', 1);
    expect(await first).toBe(3);
    expect(io.written.err).toBe(`${sandbox.url()}: another listener has taken over project ${project()}\n`);
  });
});

test('after a reset it goes on', async () => {
  const { waitFor, notices } = await listener(target());
  await waitFor('listening', 1);
  await sandbox.control('POST', `/projects/${project()}/reset`);
  await waitFor('listening', 2);
  expect(notices[1]).toEqual({ event: 'reset', project: project() });
  await failOnce();
  expect((await callbacks())[0].state).toBe('delivered');
});

test('a callback that the receiver has taken while the connection broke is answered again, not sent again', async () => {
  let release = (): void => undefined;
  const taken = new Promise<void>((go) => {
    release = go;
  });
  receiver.handle(async () => {
    await taken;
    return 204;
  });
  const { waitFor, attempts, wall } = await listener(target({ url: gate().url }));
  await waitFor('listening', 1);
  const failed = failOnce();
  await receiver.waitFor(1);
  await gate().cut();
  await waitFor('waiting', 1);
  release();
  // So that the answer is known not to have arrived.
  await waitFor('callback', 1);
  await gate().restore();
  wall.pass(500);
  await waitFor('callback', 2);
  await failed;
  expect(attempts().map(({ answer }) => answer)).toEqual(['late', 'kept']);
  expect(receiver.received).toHaveLength(1);
  expect((await callbacks())[0]).toMatchObject({
    state: 'delivered',
    attempts: [{ error: 'listener disconnected' }, { status: 204 }],
  });
});

test('in a terminal, each answer is a line', async () => {
  receiver.answer(204);
  const io = createIo({}, true);
  const ending = new AbortController();
  const running = runListen(target({ since: 'first' }), { ...io, signal: ending.signal });
  await expect.poll(() => io.written.out).toContain('sending again');
  await failOnce();
  await expect.poll(() => io.written.out).toContain('receiver 204');
  ending.abort();
  expect(await running).toBe(0);
  const [{ id }] = await callbacks();
  expect(toPlain(io.written.out)).toContain(
    `TIME ${project()}    jobs.import.failed  attempt 1  receiver 204 in N ms  ${id}\n    FAIL-1: Failed downstream on purpose: the id begins with FAIL-\n`,
  );
});
