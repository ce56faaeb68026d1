/** Plays a recording in a fresh world, on a frozen clock and with nothing sent, and finds where it goes otherwise. */

import { assemble } from '../assembly.ts';
import { toTimestamp } from '../base/time.ts';
import { defaultSecret } from '../callbacks/signature.ts';
import { defaultKey } from '../contract/keys.ts';
import { parseJson, toRawBody } from '../http/body.ts';
import { createPipeline, type Pipeline } from '../http/pipeline.ts';
import type { RecordedCallback, RecordedChange, RecordedRequest } from '../journal/recording.ts';
import { createLibrary } from '../scenarios/library.ts';
import { fromSnapshot, type Snapshot } from '../store/snapshot.ts';
import type { World } from '../world.ts';
import type { Worlds } from '../worlds.ts';
import { compareCallbacks, compareRequest, type Difference } from './compare.ts';
import type { ReadRecording } from './read.ts';
import { createReplayWall } from './wall.ts';

/** What playing came to: how much was alike, and the first difference if there was one. */
export interface Played {
  readonly requests: number;
  readonly callbacks: number;
  readonly difference: Difference | undefined;
}

type Change<Kind extends RecordedChange['kind']> = Extract<RecordedChange, { kind: Kind }>;

/** Plays all of it, or up to the first difference; `progress` is told how many changes have been played. */
export async function play(read: ReadRecording, progress: (played: number) => void = () => undefined): Promise<Played> {
  const { recording } = read;
  const { worlds, world, pipeline, dispose } = await prepare(read);
  let requests = 0;
  try {
    for (const [index, change] of recording.changes.entries()) {
      await moveTo(world, change.at);
      if (change.kind === 'request') {
        const difference = await playRequest(pipeline, read, change);
        requests += 1;
        if (difference) return { requests, callbacks: 0, difference };
      } else if (change.kind !== 'callback') playSetting(worlds, world, read, change);
      progress(index + 1);
    }
    await moveTo(world, recording.now);
    const recorded = recording.changes.filter((change): change is Change<'callback'> => change.kind === 'callback');
    const difference = compareCallbacks(recording, recorded, [...world.data.callbacks.values()]);
    return { requests, callbacks: recorded.length, difference };
  } finally {
    dispose();
  }
}

/** The world as it began. */
async function prepare({ recording, applied, contract, scenarios }: ReadRecording) {
  const { seed, strict, project, callbackEndpoint, serverScenarios, magicIds } = recording;
  const wall = createReplayWall(Date.parse(recording.begunAt));
  const bugs: unknown[] = [];
  const parts = assemble({
    ...applied,
    ...{ seed, strict, wall, contract },
    apiKeys: [defaultKey],
    clock: { mode: 'frozen', nowMs: Date.parse(recording.begunAt) },
    endpoint: callbackEndpoint === null ? undefined : { url: callbackEndpoint, secret: defaultSecret, disabled: false },
    library: createLibrary([]),
    serverScenarios: serverScenarios.flatMap((place) => scenarios[place] ?? []),
    magicIds: magicIds === null ? undefined : scenarios[magicIds],
    // Nothing goes out; what receivers answered then has no part in what is compared.
    sender: { send: () => Promise.resolve({ status: 204 }) },
    bug: (_id, error) => bugs.push(error),
  });
  return {
    worlds: parts.worlds,
    world: parts.worlds.open(project),
    pipeline: createPipeline(parts),
    dispose: () => {
      parts.worlds.dispose();
      if (bugs.length > 0) throw bugs[0];
    },
  };
}

/** Lets all happen that is due by then. */
async function moveTo(world: World, at: string): Promise<void> {
  const to = Math.max(world.now(), Date.parse(at));
  await world.schedule.advance(() => ({ to, stopIdle: false }));
}

async function playRequest(
  pipeline: Pipeline,
  { scenarios }: ReadRecording,
  recorded: Change<'request'>,
): Promise<Difference | undefined> {
  const { method, url, headers, body = '', unread } = recorded.request;
  const raw = unread ? { problem: unread } : toRawBody(body);
  const parsed = unread ? { problem: unread } : await parseJson(body);
  const scenario = recorded.scenario === undefined ? undefined : scenarios[recorded.scenario];
  const { secretTests = {} } = recorded;
  const reply = await pipeline.enter({ method, url, headers }, { raw, parsed, scenario, secretTests });
  return compareRequest(recorded, reply);
}

function playSetting(
  worlds: Worlds,
  world: World,
  { scenarios }: ReadRecording,
  change: Exclude<RecordedChange, RecordedRequest | RecordedCallback>,
): void {
  switch (change.kind) {
    case 'scenarios':
    case 'server-scenarios': {
      const wanted = change.scenarios.flatMap((place) => scenarios[place] ?? []);
      const atMs = Date.parse(change.at);
      if (change.kind === 'scenarios') world.activate(wanted, atMs);
      else worlds.switchForAll(wanted, () => atMs);
      return;
    }
    case 'callback-endpoint':
      world.data.endpoint =
        change.url === null ? undefined : { url: change.url, secret: defaultSecret, disabled: change.disabled };
      return;
    case 'snapshot':
      world.cancelPending();
      world.data.records = fromSnapshot(change.snapshot as Snapshot, toTimestamp(world.now()));
      return;
    case 'clock':
    case 'advance':
    case 'redelivery':
      // Time moves by the instants of what happened; a redelivery changes nothing that is compared.
      return;
    default:
      change satisfies never;
  }
}
