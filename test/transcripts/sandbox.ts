/** The sandbox of the transcripts: its time stands still, so that everything repeats. */
import { afterAll } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { type EventReader, readEvents, type SeenEvent } from '../harness/event-reader.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { createSwiftWall } from '../harness/swift-wall.ts';

export const startsAt = '2026-03-02T09:00:00.000Z';

type Json = Readonly<Record<string, unknown>>;

export interface TranscriptSandbox {
  readonly url: () => string;
  /** Sends a request to the control API, `path` without `/_sandbox`. */
  // biome-ignore lint/suspicious/noExplicitAny: as supertest gives it
  control(method: string, path: string, body?: unknown): Promise<any>;
  /** Returns the items of a list of the control API. */
  list(path: string): Promise<readonly Json[]>;
  /** Starts a new server with the same data. */
  restart(): Promise<void>;
  /** Runs a function while delays take no real time. */
  withoutDelays<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Takes all events until a change of a project. */
  takeEvents(project: string, what: string): Promise<readonly SeenEvent[]>;
  /** Returns a line for each counter that has changed since the last call. */
  takeCounters(): Promise<readonly string[]>;
}

/** Starts a sandbox for this file, with its data in `folder`. */
export function useTranscriptSandbox(folder: string | undefined): TranscriptSandbox {
  let events: Promise<EventReader> | undefined;
  let counters: ReadonlyMap<string, number> = new Map();
  let skipsDelays = false;

  const wall = createSwiftWall(1000, { now: () => Date.parse(startsAt), isSkipping: () => skipsDelays });
  const apiKeys = ['sandbox-key', 'key-of-another-project=another'];
  const options = { seed: 'transcripts', clock: startsAt, apiKeys, ...(folder !== undefined && { data: folder }) };
  const sandbox = useSandbox(options, shippedProfile, wall);

  async function leave(): Promise<void> {
    (await events)?.leave();
    events = undefined;
  }
  afterAll(leave);

  /** Subscribes to the events before the first other request to the control API. */
  function listen(): Promise<EventReader> {
    events ??= readEvents(`${sandbox.url()}/_sandbox/events`);
    return events;
  }

  async function ask(method: string, path: string, body?: unknown) {
    await listen();
    const response = await sandbox.control(method, path, body);
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response;
  }

  /** Reads the counters of requests, callbacks and refusals, and the time that requests took. */
  async function readCounters(): Promise<ReadonlyMap<string, number>> {
    const { text } = await ask('GET', '/metrics');
    const found = text.matchAll(/^(sandbox_\w+(?:_total|_sum|_count)(?:\{.*\})?) (\S+)$/gm);
    return new Map([...found].map(([, name = '', value]) => [name, Number(value)]));
  }

  return {
    url: sandbox.url,
    control: async (method, path, body) => (await ask(method, path, body)).body,
    list: async (path) => (await ask('GET', `${path}?limit=1000`)).body.items,
    restart: async () => {
      await leave();
      await sandbox.restart();
    },
    withoutDelays: async (run) => {
      skipsDelays = true;
      const result = await run();
      skipsDelays = false;
      return result;
    },
    takeEvents: async (project, what) => {
      const taken: SeenEvent[] = [];
      const reader = await listen();
      for (;;) {
        const [event] = (await reader.take(1)) as readonly [SeenEvent];
        if (event.kind === 'change' && event.data['what'] === what && event.data['project'] === project) return taken;
        taken.push(event);
      }
    },
    takeCounters: async () => {
      const before = counters;
      counters = await readCounters();
      const changes = [...counters].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
      const lines = changes.filter(([, change]) => change !== 0).map(([name, change]) => `counter: ${name} +${change}`);
      // The metrics list operations in the order of their first requests.
      return lines.toSorted();
    },
  };
}
