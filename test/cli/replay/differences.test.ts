/** A recording with one thing changed in it plays to that difference, with the request that it is of. */
import { beforeAll, expect, test } from 'vitest';
import { play, type ReplayResult } from '../../../src/cli/replay/play.ts';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { type Tampered, tamper, tellStory } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const { read } = createRecordingReader();
let text = '';

beforeAll(async () => {
  text = await tellStory(sandbox, freshProject());
});

async function playTampered(change: (recording: Tampered) => unknown): Promise<ReplayResult> {
  const recording = await read(tamper(text, change), 'r.json');
  if ('mistakes' in recording) throw new Error(recording.mistakes.join('\n'));
  return play(recording);
}

/** The changes of the story, by what they are. */
function partsOf({ changes }: Tampered) {
  const [job, , batch, user, callback] = changes;
  return { job, batch, user, callback, broken: changes.at(-1) };
}

/** Numbers them anew, so that none is missing. */
function renumber(recording: Tampered): void {
  for (const [index, change] of recording['changes'].entries()) change.n = index + 1;
}

const second = (callback: Tampered): Tampered => ({ ...callback, id: 'msg_0000000000000000' });

test('as it came nothing is otherwise, and all of it is counted', async () => {
  expect(await playTampered(() => undefined)).toEqual({ requests: 4, callbacks: 1, difference: undefined });
});

type Row = readonly [
  name: string,
  change: (recording: Tampered) => unknown,
  of: 'job' | 'batch' | 'user' | 'broken',
  wanted: { readonly what: string; readonly recorded: unknown; readonly played: unknown },
];

const failed = (reason: string) =>
  expect.stringMatching(new RegExp(`"type":"jobs.import.failed".*"failed":.*"reason":"${reason}"`));

const rows: readonly Row[] = [
  ['status', (r) => (partsOf(r).job.response.status = 200), 'job', { what: 'status', recorded: '200', played: '201' }],
  [
    'body',
    (r) => (partsOf(r).job.response.body = '{"message":"job J-1 made"}'),
    'job',
    { what: 'body', recorded: '{"message":"job J-1 made"}', played: '{"message":"job J-1 created"}' },
  ],
  [
    'a space in a body',
    (r) => (partsOf(r).job.response.body += ' '),
    'job',
    { what: 'body', recorded: '{"message":"job J-1 created"} ', played: '{"message":"job J-1 created"}' },
  ],
  [
    'no body where there is one',
    (r) => delete partsOf(r).job.response.body,
    'job',
    { what: 'body', recorded: 'none', played: '{"message":"job J-1 created"}' },
  ],
  [
    'a broken connection where it is whole',
    (r) => (partsOf(r).user.response.fault = 'reset'),
    'user',
    { what: 'connection', recorded: 'reset', played: 'none' },
  ],
  [
    'a connection that breaks in another way',
    (r) => (partsOf(r).broken.response.fault = 'hang'),
    'broken',
    { what: 'connection', recorded: 'hang', played: 'close' },
  ],
  [
    'a whole one where it breaks',
    (r) => delete partsOf(r).broken.response.fault,
    'broken',
    { what: 'connection', recorded: 'none', played: 'close' },
  ],
  [
    'request id',
    (r) => (partsOf(r).batch.id = 'req_0000000000000000'),
    'batch',
    { what: 'request id', recorded: 'req_0000000000000000', played: expect.stringMatching(/^req_(?!0{16})/) },
  ],
  [
    'callback id',
    (r) => (partsOf(r).callback.id = 'msg_0000000000000000'),
    'batch',
    {
      what: 'callback',
      recorded: expect.stringMatching(/^msg_0{16} \{"type"/),
      played: expect.stringMatching(/^msg_(?!0{16}).{16} \{"type"/),
    },
  ],
  [
    'callback body',
    (r) => (partsOf(r).callback.body.data.failed[0].reason = 'too early'),
    'batch',
    { what: 'callback body', recorded: failed('too early'), played: failed('too late') },
  ],
  [
    'when a callback was raised',
    (r) => (partsOf(r).callback.body.timestamp = '2026-03-02T09:30:00.201Z'),
    'batch',
    {
      what: 'callback body',
      recorded: expect.stringContaining('00.201Z'),
      played: expect.stringContaining('00.200Z'),
    },
  ],
  [
    'a callback that is missing',
    (r) => {
      r['changes'].splice(4, 1);
      renumber(r);
    },
    'batch',
    { what: 'callback', recorded: 'none', played: expect.stringMatching(/^msg_.{16} \{"type"/) },
  ],
  [
    'one that is missing at the very end',
    (r) => r['changes'].splice(4),
    'batch',
    { what: 'callback', recorded: 'none', played: expect.stringMatching(/^msg_.{16} \{"type"/) },
  ],
  [
    'a callback too many',
    (r) => {
      r['changes'].splice(5, 0, second(partsOf(r).callback));
      renumber(r);
    },
    'batch',
    { what: 'callback', recorded: expect.stringMatching(/^msg_0{16} \{"type"/), played: 'none' },
  ],
  [
    'a request that never came',
    (r) => {
      r['changes'].splice(0, 1);
      renumber(r);
    },
    'batch',
    {
      what: 'request id',
      recorded: expect.stringMatching(/^req_/),
      played: expect.stringMatching(/^req_/),
    },
  ],
  [
    'another seed',
    (r) => (r['seed'] = 'another'),
    'job',
    { what: 'request id', recorded: expect.stringMatching(/^req_/), played: expect.stringMatching(/^req_/) },
  ],
  [
    'another status in the profile',
    (r) => (r['profile'].errors.invalid = 422),
    'user',
    { what: 'status', recorded: '400', played: '422' },
  ],
  [
    'a rule that says otherwise',
    (r) => (r['scenarios'][1] = r['scenarios'][1].replace('too late', 'much too late')),
    'batch',
    { what: 'callback body', recorded: failed('too late'), played: failed('much too late') },
  ],
  [
    'what a client sent',
    (r) => (partsOf(r).job.request.body = '{"id":"J-1","status":"PENDING"}'),
    'job',
    { what: 'status', recorded: '201', played: '400' },
  ],
];

test.each(rows)('%s', async (_name, change, of, wanted) => {
  const { difference } = await playTampered(change);
  expect(difference).toMatchObject(wanted);
  expect(difference?.recorded).not.toBe(difference?.played);
  const { method, url } = partsOf(JSON.parse(text))[of].request;
  expect(difference?.request?.request).toMatchObject({ method, url });
});

test('of two that differ the first is shown, and nothing is played after it', async () => {
  const told: number[] = [];
  const recording = await read(
    tamper(text, (r) => {
      partsOf(r).batch.response.status = 200;
      partsOf(r).user.response.status = 200;
    }),
    'r.json',
  );
  if ('mistakes' in recording) throw new Error(recording.mistakes.join('\n'));
  const played = await play(recording, (count) => told.push(count));
  expect(played).toMatchObject({ requests: 2, callbacks: 0, difference: { request: { n: 3 } } });
  expect(told).toEqual([1, 2]);
});

test('a callback of no request that is recorded is shown without one', async () => {
  const { difference } = await playTampered((r) => {
    Object.assign(partsOf(r).callback, { id: 'msg_0000000000000000', requestId: 'req_nowhere' });
  });
  expect(difference).toMatchObject({ what: 'callback', request: undefined });
});

test.each<readonly [string, (recording: Tampered) => unknown]>([
  ['headers of a request', (r) => (partsOf(r).job.request.headers['user-agent'] = 'another')],
  ['what became of a callback', (r) => (partsOf(r).callback.state = 'delivered')],
  ['the bytes of an attempt', (r) => (partsOf(r).callback.attempts[0].sent = 'other')],
  ['where callbacks went', (r) => (r['callbackEndpoint'] = 'http://127.0.0.1:9/')],
])('not compared: %s', async (_name, change) => {
  expect((await playTampered(change)).difference).toBeUndefined();
});
