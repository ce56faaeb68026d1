/** `listen --answer count`: one listener for a project, and what a lost connection does. golden/listen.txt has the rest. */
import { describe, expect, test } from 'vitest';
import { runListen } from '../../../src/cli/listen/command.ts';
import { createIo } from '../../harness/cli.ts';
import { runToEnd, useListeners } from '../../harness/listener.ts';
import { useTcpProxy } from '../../harness/tcp-proxy.ts';
import { useListenSteps } from './steps.ts';

const { sandbox, receiver, project, failOnce } = useListenSteps();
const gate = useTcpProxy(sandbox.url);
const listener = useListeners();

const target = (more: object = {}) => ({ url: sandbox.url(), project: project(), forwardTo: receiver.url(), ...more });
const callbacks = async () => (await sandbox.control('GET', `/projects/${project()}/callbacks`)).body.items;

describe('a second listener', () => {
  test('is refused with exit code 3, and told since when and from where', async () => {
    const { waitFor } = await listener(target());
    await waitFor('listening', 1);
    const { listener: first } = (await sandbox.control('GET', `/projects/${project()}/callback-endpoint`)).body;
    expect(await runToEnd(target())).toEqual({
      code: 3,
      out: '',
      err: `${sandbox.url()}: this project has a listener since ${first.since}, from 127.0.0.1: end it, or take over with --takeover\n`,
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
