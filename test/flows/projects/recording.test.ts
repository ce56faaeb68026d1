/** GET /recording while something is under way. flows/transcripts/recordings.txt has the other moments. */
import { describe, expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { startListening } from '../callbacks/listener-steps.ts';
import { replay } from '../replay-steps.ts';

const clock = '2026-03-02T09:30:00Z';
const sandbox = useSandbox({ clock });

interface Change {
  readonly n: number;
  readonly kind: string;
  readonly state?: string;
  readonly response?: { readonly status: number };
}

async function record(project: string) {
  const { status, body } = await sandbox.control('GET', `/projects/${project}/recording`);
  expect(status).toBe(200);
  return body as { readonly complete: boolean; readonly now: string; readonly changes: readonly Change[] };
}

const kindsOf = ({ changes }: { readonly changes: readonly Change[] }): readonly string[] =>
  changes.map(({ n, kind }) => `${n} ${kind}`);

function importJobs(project: string, ids: readonly string[]) {
  return sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
}

test('of a project with a listener: it has the answers, and replays like that of a callback URL', async () => {
  const project = freshProject();
  await importJobs(project, ['FAIL-1']);
  const listener = await startListening(sandbox, project);
  const advanced = sandbox.advance(project);
  await listener.answerNext(500, { error: 'connection refused' }, 204);
  await advanced;
  const recording = await record(project);
  expect(kindsOf(recording)).toEqual(['1 request', '2 callback-endpoint', '3 callback', '4 advance']);
  expect(recording.changes[1]).toMatchObject({ url: 'listener:/', disabled: false });
  expect(recording.changes[2]).toMatchObject({
    state: 'delivered',
    attempts: [{ status: 500 }, { error: 'connection refused' }, { status: 204 }],
  });
  expect(await replay(recording)).toEqual({ requests: 1, callbacks: 1, differences: [] });
});

describe('during an advance', () => {
  const receiver = useReceiver();

  test('the recording has all changes so far; the advance itself is added at its end', async () => {
    const project = freshProject();
    await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
    await importJobs(project, ['FAIL-1']);
    await sandbox.advance(project, '100ms');
    await importJobs(project, ['FAIL-2']);
    let answer = (): void => undefined;
    const answered = new Promise<void>((done) => {
      answer = done;
    });
    receiver.handle(async () => {
      await answered;
      return 204;
    });
    const advancing = sandbox.advance(project, '1m');
    await receiver.waitFor(1);

    const middle = await record(project);
    expect(middle.complete).toBe(true);
    expect(middle.now).toBe('2026-03-02T09:30:00.200Z');
    const before = ['1 callback-endpoint', '2 request', '3 advance', '4 request', '5 callback'];
    expect(kindsOf(middle)).toEqual(before);
    expect(middle.changes[4]?.state).toBe('scheduled');
    expect(await replay(middle)).toEqual({ requests: 2, callbacks: 1, differences: [] });

    answer();
    await advancing;
    const end = await record(project);
    expect(end).toMatchObject({ complete: true, now: '2026-03-02T09:31:00.100Z' });
    expect(kindsOf(end)).toEqual([...before, '6 callback', '7 advance']);
    expect(end.changes[4]?.state).toBe('delivered');
    expect(await replay(end)).toEqual({ requests: 2, callbacks: 2, differences: [] });
  });
});
