/** A test receives callbacks over the connection to the sandbox, without a port. */
import { describe, expect, test } from 'vitest';
import { type AnswerChoice, SandboxError } from '../../../src/index.ts';
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

test('its handler answers each attempt: with a status, or by returning nothing with 200', async () => {
  const project = sandbox().project();
  const seen: string[] = [];
  await using listener = await project.listen(({ id, body }) => {
    if (body.data.failed[0]?.id === 'FAIL-A') return { status: 204 };
    seen.push(id);
  });
  for (const id of ['FAIL-A', 'FAIL-B']) await project.send('asyncImportJobs', job(id));
  listener.answer(async () => undefined);
  await project.send('asyncImportJobs', job('FAIL-C'));
  await project.clock.advance('1s');
  const callbacks = await project.callbacks.list();
  expect(callbacks.map(({ attempts: [attempt] }) => attempt?.status)).toEqual([200, 200, 200]);
  expect(seen).toEqual([callbacks[1]?.id, callbacks[2]?.id]);
});

describe('a handler that fails answers 500, and the next call of its listener says so', () => {
  test.each<[string, AnswerChoice, string, string]>([
    ['throws', () => expect(1).toBe(2), 'AssertionError: expected 1 to be 2', 'AssertionError'],
    ['returns no status', () => 99, 'result: expected a status from 200 to 999, or { status', 'SandboxError'],
    ['returns no answer', (() => ({ staus: 204 })) as never, 'result: expected a status', 'SandboxError'],
  ])('one that %s', async (_, handler, message, name) => {
    const project = sandbox().project();
    const listener = await project.listen(handler);
    await project.send('asyncImportJobs', job('FAIL-1'));
    await project.clock.advance('1s');
    const [callback] = await project.callbacks.list();
    expect(callback?.attempts[0]).toMatchObject({ status: 500, response: { body: expect.stringContaining(name) } });
    const error = await listener.waitFor().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({ code: 'handler_failed', cause: { name } });
    expect(String(error)).toContain('waitFor: a handler failed: ');
    expect(String(error)).toContain(message);
    expect(await listener.waitFor()).toHaveLength(1);
    await listener.close();
  });

  test('even if that is its end', async () => {
    const project = sandbox().project();
    const listener = await project.listen(() => Promise.reject(new Error('no such order')));
    await project.send('asyncImportJobs', job('FAIL-1'));
    await project.clock.advance('1s');
    await expect(listener.close()).rejects.toThrow('close: a handler failed: Error: no such order');
    await listener.close();
  });
});

test('it first receives what came before', async () => {
  const project = sandbox().project();
  const { id } = await project.trigger('jobs.import.failed');
  await project.clock.advance('1s');
  await using listener = await project.listen(204, { since: 'first' });
  await project.clock.advance('1s');
  expect(await listener.waitFor()).toMatchObject([{ id }]);
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
    expect(String(error)).toMatch(
      /listen: this project has a listener since .*: end it, or take over with listen\(handler, \{ takeover: true \}\)$/,
    );
    await first.close();
    await (await project.listen()).close();
  });

  test('a second one may take over', async () => {
    const project = sandbox().project();
    const first = await project.listen();
    await using second = await project.listen(204, { takeover: true });
    await expect(first.waitFor()).rejects.toThrow('has ended: another one has taken over');
    await project.trigger('jobs.import.failed');
    await project.clock.advance('1s');
    expect(await second.waitFor()).toHaveLength(1);
  });

  test('a reset of the project ends it', async () => {
    const project = sandbox().project();
    const listener = await project.listen();
    await project.reset();
    await expect(listener.waitFor()).rejects.toThrow('has ended with a reset of the project: call listen() again');
    await (await project.listen()).close();
  });
});
