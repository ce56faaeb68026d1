/** The W3C trace context of a request in events and replays. flows/transcripts/traces.txt has lists and callbacks. */
import { expect, test } from 'vitest';
import { readEvents } from '../../harness/event-reader.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { frozenProject } from '../callbacks/steps.ts';
import { replayProject } from '../replay-steps.ts';

const sandbox = useSandbox();

test('the events of a request and its callbacks have its trace, and it is replayed', async () => {
  const project = await frozenProject(sandbox);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const events = await readEvents(`${sandbox.url()}/_sandbox/events?project=${project}`);
  for (const traceparent of [`00-${traceId}-00f067aa0ba902b7-01`, undefined])
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-1' }] }, { traceparent });
  await sandbox.advance(project);
  const seen = await events.take(6);
  events.leave();
  const traced = seen.filter(({ data }) => data['traceId'] === traceId).map(({ kind }) => kind);
  expect(traced).toEqual(['request', 'callback', 'callback']);
  expect(await replayProject(sandbox, project)).toEqual({ requests: 2, callbacks: 2, differences: [] });
});
