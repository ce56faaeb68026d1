/** A test receives callbacks over the connection to the sandbox, without a port. */
import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../../src/index.ts';
import { useKit } from '../kit.ts';

const sandbox = useKit({ clock: 'frozen' });

const job = (id: string) => ({ jobs: [{ id }] });

test('it has the interface of a receiver: received, waitFor, answer, close', async () => {
  const project = sandbox().project();
  const listener = await project.listen();
  listener.answer(503, { status: 202, headers: { 'x-own': '1' }, body: { taken: true } });
  await project.send('asyncImportJobs', job('FAIL-1'));
  await project.clock.advance('idle');
  const [first, second] = await listener.waitFor({ count: 2, type: 'jobs.import.failed' });
  expect([first?.verified, second?.id]).toEqual([true, first?.id]);
  expect(first?.body.data.failed).toMatchObject([{ id: 'FAIL-1' }]);
  expect(listener.received).toEqual([first, second]);
  const [callback] = await project.callbacks.list();
  expect(callback).toMatchObject({
    state: 'delivered',
    attempts: [{ status: 503 }, { status: 202, response: { headers: { 'x-own': '1' }, body: '{"taken":true}' } }],
  });
  await listener.close();
  await expect(listener.waitFor({ count: 3 })).rejects.toThrow(`the listener of project ${project.id} was closed`);
});

test('its handler answers each attempt; one that throws answers 500', async () => {
  const project = sandbox().project();
  const listener = await project.listen(({ body }) => {
    if (body.data.failed[0]?.id === 'FAIL-A') return { status: 204 };
    throw new Error('no such order');
  });
  for (const id of ['FAIL-A', 'FAIL-B']) await project.send('asyncImportJobs', job(id));
  await project.clock.advance('1s');
  const callbacks = await project.callbacks.list();
  expect(callbacks.map(({ attempts: [attempt] }) => [attempt?.status, attempt?.response?.body])).toEqual([
    [204, ''],
    [500, '{"message":"Error: no such order"}'],
  ]);
  await listener.close();
});

test('a status that no receiver sends fails the attempt with the reason', async () => {
  const project = sandbox().project();
  await using _listener = await project.listen(() => 99);
  await project.send('asyncImportJobs', job('FAIL-1'));
  await project.clock.advance('1s');
  const [callback] = await project.callbacks.list();
  expect(callback?.attempts[0]?.error).toContain('the answer is not valid: /status: expected the status');
});

test('a callback with a forged signature is refused, as by a receiver', async () => {
  const project = sandbox().project();
  await using listener = await project.listen();
  await project.trigger('jobs.import.failed', { forge: 'invalid' });
  await project.clock.advance('1s');
  expect(await listener.waitFor({ verified: false })).toMatchObject([{ refusal: 'No matching signature found' }]);
  expect((await project.callbacks.list())[0]?.attempts).toMatchObject([{ status: 401 }]);
});

describe('a project has one listener', () => {
  test('a second one is refused, and may follow once the first is closed', async () => {
    const project = sandbox().project();
    const first = await project.listen();
    const error = await project.listen().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({ status: 409, code: 'listener_taken' });
    expect(String(error)).toContain('listen: this project has a listener since');
    await first.close();
    await (await project.listen()).close();
  });

  test('a reset of the project ends it', async () => {
    const project = sandbox().project();
    const listener = await project.listen();
    await project.reset();
    await expect(listener.waitFor()).rejects.toThrow('has ended with a reset of the project: call listen() again');
    await (await project.listen()).close();
  });
});
