/** Follows the events of a sandbox, and prints what they announce, also after a lost connection. */
import type { ControlClient, Failure } from '../../client/client.ts';
import type { SentEvent } from '../../client/event-stream.ts';
import { followEvents } from '../../client/follow.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import type { WallClock } from '../../lib/time.ts';
import { type LogReader, refusalOf } from './log-reader.ts';

interface Parts {
  readonly client: ControlClient;
  readonly reader: LogReader;
  readonly wall: WallClock;
  /** Ends it. */
  readonly signal: AbortSignal;
  printError(text: string): void;
}

/** A callback event's data that decides whether to read the callback. */
interface ChangedCallback {
  readonly id: string;
  readonly project: string;
  readonly requestId: string;
  readonly triggered?: true;
  readonly attempts: number;
}

/** Runs until the signal is aborted. @returns why the sandbox refuses, if it does */
export function followLogs({ client, reader, wall, signal, printError }: Parts): Promise<Failure | undefined> {
  const path = `/events${reader.project === undefined ? '' : `?project=${encodeURIComponent(reader.project)}`}`;
  let isStarted = false;
  return followEvents(client, path, {
    ...{ wall, signal },
    waiting: (reason, ms) =>
      printError(`the sandbox is not available: ${withoutControls(reason)}; next attempt in ${ms / 1000} s\n`),
    read: (events) =>
      refusalOf(async () => {
        if (isStarted) return printNews(reader, events);
        // Events after the first line of the stream are not missed while the list is read.
        await reader.skipEarlier();
        await reader.read();
        isStarted = true;
      }),
  });
}

/** Prints the requests and attempts that events announce. */
async function printNews(reader: LogReader, events: readonly SentEvent[]): Promise<void> {
  const { hasRequests, changed } = readNews(reader, events);
  if (hasRequests || (reader.dependsOnOutcomes && changed.length > 0)) await reader.readNew();
  for (const { project, id, requestId, triggered = false } of changed)
    await reader.readCallback(project, id, { requestId, triggered });
}

/** Returns whether there may be new requests, and the callbacks that changed. Forgets what a reset has removed. */
function readNews(
  reader: LogReader,
  events: readonly SentEvent[],
): { readonly hasRequests: boolean; readonly changed: readonly ChangedCallback[] } {
  const changed = new Map<string, ChangedCallback>();
  let hasRequests = false;
  for (const { kind, text } of events) {
    const data = JSON.parse(text) as Record<string, unknown> & ChangedCallback;
    if (kind === 'request' || kind === 'gap') hasRequests = true;
    if (kind === 'callback' && data.attempts > 0) changed.set(`${data.project}/${data.id}`, data);
    // After a gap the sandbox may be another one, which uses the same ids.
    if (kind === 'gap') reader.forget(null);
    if (kind === 'change' && data['what'] === 'reset') reader.forget(data.project);
  }
  return { hasRequests, changed: [...changed.values()] };
}
