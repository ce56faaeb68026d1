/** `listen`: forwards each attempt of a running sandbox to a local receiver once, unchanged, as docs/guides/callbacks.md shows. */
import { stripVTControlCharacters } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import type { ListenTexts } from '../../../src/cli/listen/command.ts';
import { runListen } from '../../../src/cli/listen/command.ts';
import { createIo } from '../../harness/cli.ts';
import { useListeners } from '../../harness/listener.ts';
import { freshProject } from '../../harness/sandbox.ts';
import { failedIds, useListenSteps } from './steps.ts';

const { sandbox, receiver, project, failOnce, receivedIds } = useListenSteps();
const start = useListeners();
const listener = (texts: ListenTexts) => start({ answer: 'show', ...texts });

function verify({ body, headers }: (typeof receiver.received)[number], secret = defaultSecret): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

test('a callback in the inbox is forwarded once, with its bytes and signature', async () => {
  const { waitFor, attempts, notices } = await listener({
    url: sandbox.url(),
    project: project(),
    forwardTo: `${receiver.url()}/hooks`,
  });
  await waitFor('listening', 1);
  await failOnce('FAIL-GEOCODE-1');
  await waitFor('callback', 1);
  const [callback] = (await sandbox.control('GET', `/projects/${project()}/callbacks`)).body.items;
  const [received] = receiver.received;
  expect(received).toMatchObject({ method: 'POST', path: '/hooks', body: callback.attempts[0].sent });
  expect(received?.headers).toMatchObject(callback.attempts[0].headers);
  expect(verify(received as never)).toEqual(callback.body);
  expect(attempts()).toEqual([
    {
      event: 'callback',
      at: callback.attempts[0].at,
      project: project(),
      type: 'jobs.import.failed',
      id: callback.id,
      attempt: 1,
      failed: [{ id: 'FAIL-GEOCODE-1', reason: 'Address could not be geocoded' }],
      sandbox: 'inbox',
      forwarded: { status: 204, ms: 0 },
    },
  ]);
  await failOnce('FAIL-2');
  await waitFor('callback', 2);
  expect(receivedIds()).toEqual(['FAIL-GEOCODE-1', 'FAIL-2']);
  expect(notices[0]).toEqual({
    event: 'listening',
    url: sandbox.url(),
    project: project(),
    forwardTo: `${receiver.url()}/hooks`,
  });
});

test('attempts of one project are forwarded one after another, independent of other projects', async () => {
  const other = freshProject();
  let release = (): void => undefined;
  receiver.handle(({ body }) =>
    body.includes('FAIL-SLOW')
      ? new Promise((answer) => {
          release = () => answer(204);
        })
      : 204,
  );
  const { waitFor, attempts } = await listener({ url: sandbox.url(), forwardTo: receiver.url() });
  await waitFor('listening', 1);
  await failOnce('FAIL-SLOW');
  for (const n of [1, 2, 3]) await failOnce(`FAIL-${n}`);
  await failOnce('FAIL-OTHER', other);
  await waitFor('callback', 1);
  expect(failedIds(attempts())).toEqual(['FAIL-OTHER']);
  release();
  await waitFor('callback', 5);
  expect(receivedIds().filter((id) => id !== 'FAIL-OTHER')).toEqual(['FAIL-SLOW', 'FAIL-1', 'FAIL-2', 'FAIL-3']);
});

test('earlier attempts, and those of other projects, are not forwarded', async () => {
  await failOnce('FAIL-BEFORE');
  const { waitFor, attempts } = await listener({ url: `${sandbox.url()}/`, project: project() });
  await waitFor('listening', 1);
  await failOnce('FAIL-OTHER', freshProject());
  await failOnce('FAIL-AFTER');
  await waitFor('callback', 1);
  expect(failedIds(attempts())).toEqual(['FAIL-AFTER']);
  expect(attempts()[0]).not.toHaveProperty('forwarded');
});

test('callbacks with the same ids are forwarded again after a reset', async () => {
  const fixed = { mode: 'frozen', now: '2027-01-01T00:00:00.000Z' };
  const { waitFor, attempts } = await listener({ url: sandbox.url(), project: project(), forwardTo: receiver.url() });
  await waitFor('listening', 1);
  for (const round of [1, 2]) {
    await sandbox.control('PUT', `/projects/${project()}/clock`, fixed);
    await failOnce();
    await waitFor('callback', round);
    await sandbox.control('POST', `/projects/${project()}/reset`);
  }
  expect(new Set(attempts().map(({ id, at }) => `${id} ${at}`)).size).toBe(1);
  expect(receiver.received).toHaveLength(2);
});

describe('the receiver', () => {
  test.each([
    ['stale', undefined, 'differ by 60 min'],
    [undefined, 'malformed', undefined],
    ['missing', undefined, undefined],
  ])('gets the faults of a scenario unchanged: signature %s, body %s', async (signature, body, hint) => {
    const callback = { ...(signature && { signature }), ...(body && { body }) };
    const scenario = { name: 'spoiled', rules: [{ name: 'spoil', then: { callback } }] };
    await sandbox.control('PUT', `/projects/${project()}/scenarios`, { scenarios: [scenario] });
    const { waitFor, attempts } = await listener({ url: sandbox.url(), project: project(), forwardTo: receiver.url() });
    await waitFor('listening', 1);
    await failOnce();
    await waitFor('callback', 1);
    const [{ attempts: made }] = (await sandbox.control('GET', `/projects/${project()}/callbacks`)).body.items;
    expect(receiver.received[0]?.body).toBe(made[0].sent);
    expect(receiver.received[0]?.headers['webhook-signature']).toBe(made[0].headers['webhook-signature']);
    expect(attempts()[0]?.hint).toEqual(hint === undefined ? undefined : expect.stringContaining(hint));
  });
});

test('in a terminal each attempt is one line with the response of the receiver', async () => {
  const ending = new AbortController();
  const io = createIo({}, true);
  const texts = { url: sandbox.url(), project: project(), forwardTo: receiver.url(), answer: 'show' };
  const code = runListen(texts, { ...io, signal: ending.signal });
  await expect
    .poll(() => io.written.out)
    .toBe(`listening to project ${project()} of ${texts.url}, forwarding to ${texts.forwardTo}\n`);
  io.written.out = '';
  receiver.answer(204, 418);
  await sandbox.freeze(project());
  const jobs = ['FAIL-GEOCODE-1', 'FAIL-\u001b[2J', 'FAIL-3', 'FAIL-4'].map((id) => ({ id }));
  await sandbox.api('POST', `/async/projects/${project()}/jobs`, { jobs });
  await sandbox.advance(project());
  await failOnce('FAIL-5');
  await expect.poll(() => io.written.out.split('\n').length).toBe(5);
  ending.abort();
  expect(await code).toBe(0);
  const lines = stripVTControlCharacters(io.written.out).split('\n');
  const head = /^\d\d:\d\d:\d\d\.\d{3} p-\d+ {4}jobs\.import\.failed {2}attempt 1 {2}in the inbox, /;
  expect(lines[0]).toMatch(head);
  expect(lines[0]).toMatch(/, receiver 204 in \d+ ms {2}msg_\w+$/);
  expect(lines[1]).toMatch(/^ {4}FAIL-GEOCODE-1: Address could not be geocoded, FAIL- \[2J: .*, and 2 more$/);
  expect(lines[2]).toMatch(/, receiver 418 in \d+ ms {2}msg_\w+$/);
  expect(lines[3]).toMatch(/^ {4}FAIL-5: /);
});
