/** Callbacks in a test: at a receiver with a port, or over the connection to the sandbox. */
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type AnswerChoice, createCallbackReceiver, type Project, SandboxError } from '../../../src/index.ts';
import { importJobs, useKit } from '../kit.ts';

const sandbox = useKit({ clock: 'frozen' });

/** Starts a receiver for a new project. */
async function createReceiver(options: { readonly secret?: string } = {}) {
  const project = sandbox().project();
  const receiver = await createCallbackReceiver(options);
  await project.callbacks.sendTo(receiver, options);
  return { project, receiver, where: `the receiver at ${receiver.url}` };
}

/** Lets a test listen to a new project. */
async function createListener() {
  const project = sandbox().project();
  const receiver = await project.listen();
  return { project, receiver, where: `the listener of project ${project.id}` };
}

/** Imports a job that fails, and sends its callback. */
async function failOne(project: Project, id = 'FAIL-1'): Promise<void> {
  await importJobs(project, id);
  await project.clock.advance('idle');
}

describe.each([
  ['a receiver', createReceiver],
  ['a listener', createListener],
] as const)('%s', (_kind, create) => {
  test('verifies a callback that is signed with the published secret', async () => {
    const { project, receiver } = await create();
    await failOne(project);
    const [callback] = await receiver.waitFor({ type: 'jobs.import.failed' });
    expect(callback).toMatchObject({ verified: true, body: { data: { failed: [{ id: 'FAIL-1' }] } } });
    expect(callback?.raw).toBe(JSON.stringify(callback?.body));
    expect(callback?.headers['webhook-id']).toBe(callback?.id);
    expect(callback?.at).toMatch(/^\d{4}-.*Z$/);
    expect(receiver.received).toEqual([callback]);
    expect(await project.callbacks.list({ state: 'delivered' })).toMatchObject([{ id: callback?.id }]);
    await receiver.close();
  });

  test('stores a forged callback and rejects it with 401; it matches no wait and uses no prepared response', async () => {
    const { project, receiver, where } = await create();
    receiver.answer(418);
    await project.trigger('jobs.import.failed', { forge: 'invalid' });
    await project.clock.advance('1s');
    expect(await receiver.waitFor({ verified: false })).toMatchObject([{ refusal: 'No matching signature found' }]);
    expect(await project.callbacks.list()).toMatchObject([{ attempts: [{ status: 401 }] }]);
    const missed = receiver.waitFor({ type: 'jobs.import.failed', timeout: '1ms' });
    await expect(missed).rejects.toMatchObject({ code: 'timeout' });
    await expect(missed).rejects.toThrow(
      `waitFor: waited 1 ms for 1 callback of type jobs.import.failed at ${where.replace('the receiver at ', '')}; received: 1 of type jobs.import.failed, not verified: `,
    );
    await importJobs(project, 'FAIL-2');
    await project.clock.advance('1s');
    expect((await project.callbacks.list())[1]?.attempts).toMatchObject([{ status: 418 }]);
    await receiver.close();
  });

  test('responds in turn: with a status, headers, what a function returns, then with 2xx', async () => {
    const { project, receiver } = await create();
    receiver.answer(410);
    receiver.answer(
      { status: 429, headers: { 'retry-after': 60 }, body: { message: 'later' } },
      ({ body }) => (body.data.failed.length === 1 ? 502 : 200),
      async () => ({ status: 507, body: 'full' }),
      async () => undefined,
    );
    await failOne(project);
    const [callback] = await project.callbacks.list();
    expect(callback?.attempts.map(({ status }) => status)).toEqual([429, 502, 507, 200]);
    expect(callback?.attempts[0]?.response).toMatchObject({
      headers: { 'retry-after': '60' },
      body: '{"message":"later"}',
    });
    const [first, second] = (callback?.attempts ?? []).map(({ at }) => Date.parse(at));
    expect((second ?? 0) - (first ?? 0)).toBe(60_000);
    await receiver.close();
  });

  test.each<[string, AnswerChoice, string, string]>([
    ['throws', () => expect(1).toBe(2), 'AssertionError: expected 1 to be 2', 'AssertionError'],
    ['returns no status', () => 99, 'result: expected a status from 200 to 999, or { status', 'SandboxError'],
    [
      'throws no error',
      () => Promise.reject(Object.create(null, { name: { value: 'Odd', enumerable: true } })),
      'Odd',
      'Odd',
    ],
    ['returns no answer', (() => ({ staus: 204 })) as never, 'result: expected a status', 'SandboxError'],
  ])('responds with 500 for a handler that %s, and its next call says so', async (_, handler, message, name) => {
    const { project, receiver } = await create();
    receiver.answer(handler);
    await failOne(project);
    const [callback] = await project.callbacks.list();
    expect(callback?.attempts[0]).toMatchObject({ status: 500, response: { body: expect.stringContaining(name) } });
    const error = await receiver.waitFor().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({ code: 'handler_failed', cause: { name } });
    expect(String(error)).toContain('waitFor: a handler failed: ');
    expect(String(error)).toContain(message);
    receiver.answer(() => Promise.reject(new Error('no such order')));
    await failOne(project, 'FAIL-2');
    await expect(receiver.close()).rejects.toThrow('close: a handler failed: Error: no such order');
    await receiver.close();
  });

  test('a wait resolves when the callbacks arrive; closing ends pending waits, and can be repeated', async () => {
    const { project, receiver, where } = await create();
    const waiting = receiver.waitFor({ count: 2 });
    for (const id of ['FAIL-1', 'FAIL-2']) await failOne(project, id);
    expect((await waiting).map(({ body }) => body.data.failed[0]?.id)).toEqual(['FAIL-1', 'FAIL-2']);
    const failure = expect(receiver.waitFor({ count: 3, timeout: '10m' })).rejects.toMatchObject({
      message: `waitFor: ${where} was closed`,
      code: 'closed',
    });
    await Promise.all([receiver.close(), receiver.close()]);
    await failure;
  });

  test('closing at once answers what has arrived', async () => {
    const { project, receiver } = await create();
    await project.trigger('jobs.import.failed');
    await receiver.waitFor();
    await receiver.close();
    expect(await project.callbacks.waitFor({ state: 'delivered' })).toHaveLength(1);
  });

  test('closing waits for no handler that does not end', async () => {
    const { project, receiver } = await create();
    receiver.answer(() => new Promise(() => undefined));
    await project.trigger('jobs.import.failed');
    await receiver.waitFor();
    await receiver.close();
  });
});

describe('a receiver', () => {
  test('listens on loopback, rejects other requests, and is gone once it is closed', async () => {
    const receiver = await createCallbackReceiver();
    expect(receiver.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const answer = await fetch(receiver.url, { method: 'POST', body: 'no JSON' });
    expect([answer.status, await answer.json()]).toEqual([401, { message: 'Missing required headers' }]);
    expect(receiver.received).toMatchObject([{ id: '', type: '', body: undefined, raw: 'no JSON', verified: false }]);
    expect((await fetch(receiver.url)).status).toBe(405);
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
    await expect(fetch(receiver.url)).rejects.toThrow();
  });

  test('survives a connection that breaks within a callback', async () => {
    const receiver = await createCallbackReceiver();
    const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1');
    await new Promise((written) =>
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nhalf', written),
    );
    socket.resetAndDestroy();
    // Vitest reports an unhandled rejection.
    expect((await fetch(receiver.url, { method: 'POST' })).status).toBe(401);
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
  });

  test('verifies a callback that is signed with a secret of its own', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const { project, receiver } = await createReceiver({ secret });
    await failOne(project);
    expect(await receiver.waitFor()).toMatchObject([{ verified: true }]);
    await receiver.close();
  });

  test('gets no callbacks that go back to the inbox', async () => {
    const { project, receiver } = await createReceiver();
    expect(await project.callbacks.sendTo(null)).toMatchObject({ url: null });
    await failOne(project);
    expect(await project.callbacks.list()).toMatchObject([{ state: 'inbox' }]);
    expect(receiver.received).toEqual([]);
    await receiver.close();
  });
});

describe('a listener', () => {
  test('answers each attempt by its handler, and first receives what came before', async () => {
    const project = sandbox().project();
    const { id } = await project.trigger('jobs.import.failed', { ids: ['FAIL-A'] });
    await project.clock.advance('1s');
    const seen: string[] = [];
    await using listener = await project.listen(
      (callback) => {
        if (callback.body.data.failed[0]?.id === 'FAIL-A') return { status: 204 };
        seen.push(callback.id);
      },
      { since: 'first' },
    );
    await failOne(project, 'FAIL-B');
    expect((await listener.waitFor({ count: 2 }))[0]).toMatchObject({ id });
    const [, second] = await project.callbacks.list();
    expect(second?.attempts).toMatchObject([{ status: 200 }]);
    expect(seen).toEqual([second?.id]);
  });

  test('is the only one of its project: a second one is refused, or takes over', async () => {
    const project = sandbox().project();
    const first = await project.listen();
    const error = await project.listen().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SandboxError);
    expect(error).toMatchObject({ status: 409, code: 'listener_taken' });
    expect(String(error)).toMatch(
      /listen: this project has a listener since .*: end it, or take over with listen\(handler, \{ takeover: true \}\)$/,
    );
    const second = await project.listen(204, { takeover: true });
    await expect(first.waitFor()).rejects.toThrow('has ended: another one has taken over');
    await project.trigger('jobs.import.failed');
    await project.clock.advance('1s');
    expect(await second.waitFor()).toHaveLength(1);
    await second.close();
    await (await project.listen()).close();
  });

  test('ends with a reset of the project', async () => {
    const project = sandbox().project();
    const listener = await project.listen();
    await project.reset();
    await expect(listener.waitFor()).rejects.toThrow('has ended with a reset of the project: call listen() again');
    await (await project.listen()).close();
  });
});
