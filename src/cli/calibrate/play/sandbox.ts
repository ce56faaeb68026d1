/** Creates a sandbox inside the process: with frozen clocks, without a socket, and sending nothing. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { AppliedProfile } from '../../../config/config-files.ts';
import { defaultKey } from '../../../config/keys.ts';
import { createCore } from '../../../core.ts';
import { createPipeline } from '../../../http/pipeline.ts';
import type { Reply } from '../../../http/reply.ts';
import { KeyRing } from '../../../keys/key-ring.ts';
import { runAll } from '../../../lib/slices.ts';
import { toTimestamp } from '../../../lib/time.ts';
import type { Contract } from '../../../openapi/contract.ts';
import type { CollectionName, StoredRecord } from '../../../records/records.ts';
import { fromSnapshot, type Snapshot } from '../../../records/snapshot.ts';
import { createReplayWall } from '../../../replay/player.ts';
import { createLibrary } from '../../../scenarios/library.ts';
import { type Content, observeReplies } from './observe-replies.ts';

/** A key that is valid for no project of the traffic. */
export const foreignKey = 'foreign-key';

export interface PlayedRequest {
  readonly project: string;
  readonly atMs: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response with the warnings about its request. */
export interface PlayedReply {
  readonly reply: Reply;
  readonly warnings: readonly string[];
  readonly content: Content | undefined;
}

export interface PlaySandbox {
  send(request: PlayedRequest): Promise<PlayedReply>;
  /** Returns a stored record as it is now. */
  find(project: string, collection: CollectionName, id: string): StoredRecord | undefined;
  dispose(): void;
}

export interface PlayOptions {
  readonly applied: AppliedProfile;
  readonly contract: Contract;
  readonly beganMs: number;
  /** Records that exist before the traffic, by project. */
  readonly assumed: ReadonlyMap<string, Snapshot>;
}

export function createPlaySandbox({ applied, contract, beganMs, assumed }: PlayOptions): PlaySandbox {
  const bugs: unknown[] = [];
  const wall = createReplayWall(beganMs);
  const parts = createCore({
    ...applied,
    contract,
    seed: 'calibrate',
    strict: false,
    wall,
    // No project has an empty id.
    keys: new KeyRing({ texts: [defaultKey, `${foreignKey}=no project`], wall }),
    clock: { mode: 'frozen', nowMs: beganMs },
    endpoint: undefined,
    library: createLibrary([]),
    serverScenarios: [],
    magicIds: undefined,
    sender: { send: () => Promise.resolve({ status: 204 }) },
    reportError: (_id, error) => bugs.push(error),
  });
  const replies = observeReplies(parts.replies);
  const pipeline = createPipeline({ ...parts, replies });
  for (const [project, snapshot] of assumed)
    parts.projects.open(project).restore(runAll(fromSnapshot(snapshot, toTimestamp(beganMs))), 0);

  let warnings: readonly string[] = [];
  parts.journal.subscribe((entry) => {
    warnings = entry.warnings;
  });

  async function send({ project: id, atMs, ...request }: PlayedRequest): Promise<PlayedReply> {
    const project = parts.projects.find(id);
    if (project) await project.schedule.advance(() => ({ to: Math.max(project.now(), atMs), stopIdle: false }));
    const reply = await pipeline.handle(toIncoming(request));
    return { reply, warnings, content: replies.take() };
  }

  return {
    send,
    find: (project, collection, id) => parts.projects.find(project)?.state.records[collection].get(id),
    dispose: () => {
      parts.projects.dispose();
      if (bugs.length > 0) throw bugs[0];
    },
  };
}

/** Creates a request as Node's server passes it to the handler. */
function toIncoming({ method, url, headers, body }: Omit<PlayedRequest, 'project' | 'atMs'>): IncomingMessage {
  const bytes = Buffer.from(body);
  const stream = Readable.from(bytes.length > 0 ? [bytes] : [], { objectMode: false });
  const all = { ...headers, 'content-length': String(bytes.length) };
  return Object.assign(stream, { method, url, headers: all }) as unknown as IncomingMessage;
}
