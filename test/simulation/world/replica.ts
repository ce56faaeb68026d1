/** Runs the real code of a server as a simulated process. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Sender } from '../../../src/callbacks/send.ts';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import type { Surroundings } from '../../../src/cluster/connect.ts';
import { openCluster } from '../../../src/cluster/index.ts';
import type { Options } from '../../../src/config/option-table.ts';
import { parseOptions } from '../../../src/config/options.ts';
import type { SandboxFiles } from '../../../src/config/sandbox-files.ts';
import { Session } from '../../../src/control-api/caller.ts';
import type { ControlParts } from '../../../src/control-api/handler.ts';
import { createControl } from '../../../src/control-api/index.ts';
import { createCore } from '../../../src/core.ts';
import { Coverage } from '../../../src/coverage/coverage.ts';
import { createPipeline } from '../../../src/http/pipeline.ts';
import type { Reply } from '../../../src/http/reply.ts';
import { Counters } from '../../../src/journal/counters.ts';
import { EventLog } from '../../../src/journal/events.ts';
import { KeyRing } from '../../../src/keys/key-ring.ts';
import { createLazy } from '../../../src/lib/lazy.ts';
import type { WallClock } from '../../../src/lib/time.ts';

/** A request of a client. */
export interface Sending {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface SimulatedReplica {
  handle(
    request: Sending,
  ): Promise<{ readonly status: number; readonly headers: Reply['headers']; readonly body: string }>;
  /** Hands its projects over; afterwards it accepts no more requests. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  readonly files: SandboxFiles;
  readonly wall: WallClock;
  readonly surroundings: Surroundings;
  readonly sender: Pick<Sender, 'send'>;
  warn(text: string): void;
  reportError(error: unknown): void;
}

const receiverUrl = 'http://receiver.test/';

/** The options of all simulated servers. */
export function toSimulatedOptions(): Options & { readonly postgres: string } {
  const parsed = parseOptions({ postgres: 'postgres://simulated/', log: 'off' }, {});
  if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
  return { ...parsed.options, postgres: 'postgres://simulated/' };
}

/** Starts a server. It has joined the others when this resolves. */
export async function startReplica(parts: Parts): Promise<SimulatedReplica> {
  const { files, wall, surroundings, sender, warn, reportError } = parts;
  const options = toSimulatedOptions();
  const { seed, strict, apiKeys, clock } = options;
  const endpoint = { url: receiverUrl, secret: defaultSecret, disabled: false };
  const { applied, contract, library, serverScenarios } = files;
  const settings = { seed, profile: [], apiKeys };
  const cluster = await openCluster({ options, settings, endpoint, wall, warn, reportError }, surroundings);
  const { controlPlacement, store } = cluster;
  const keys = new KeyRing({ texts: apiKeys, wall, store: store.keys });
  const core = createCore({
    ...applied,
    ...{ seed, strict, keys, clock, endpoint, library, sender, wall, store, contract, serverScenarios },
    placement: cluster,
    magicIds: undefined,
    reportError: (_id, error) => reportError(error),
    onUnsaved: (_id, error) => reportError(error),
  });
  const session = new Session(undefined, keys, false);
  const controlParts: ControlParts = {
    ...core,
    ...{ keys, session, controlPlacement, profile: applied.profile, document: applied.document },
    overlays: undefined,
    magicIds: false,
    publishedKey: undefined,
    mapTiles: undefined,
    tls: () => undefined,
    isShuttingDown: () => false,
    isConnected: cluster.isConnected,
    authority: () => undefined,
    events: new EventLog(wall),
    counters: new Counters(),
    coverage: new Coverage(() => []),
    processCounters: { logLinesDropped: 0, errorsEscaped: 0 },
    defaultEndpoint: endpoint,
    checkCallbackUrl: () => undefined,
    limitsCallbackHosts: false,
  };
  const control = createLazy(async () => createControl(controlParts, false));
  const api = createPipeline(core);
  core.projects.resumeSaved();
  await cluster.start({ control: controlParts, api, loaded: control });
  return {
    handle: async (request) => {
      const incoming = toIncoming(request);
      const reply = await (request.path.startsWith('/_sandbox/')
        ? (await control()).handle(incoming)
        : api.handle(incoming));
      return { status: reply.status, headers: reply.headers, body: await readBody(reply) };
    },
    leave: () => cluster.leave(false),
    close: async () => {
      core.projects.dispose();
      await cluster.close();
    },
  };
}

/** Creates what an HTTP server would have parsed. */
function toIncoming({ method, path, body }: Sending): IncomingMessage {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    host: 'localhost',
    apikey: 'sandbox-key',
    ...(text !== undefined && { 'content-type': 'application/json', 'content-length': String(text.length) }),
  };
  const stream = Readable.from(text === undefined ? [] : [Buffer.from(text)]);
  const socket = new EventEmitter();
  // The parts of a message that the handlers read.
  return Object.assign(stream, { method, url: path, headers, socket }) as unknown as IncomingMessage;
}

async function readBody({ body, pieces }: Reply): Promise<string> {
  let text = body ?? '';
  if (pieces) for await (const piece of pieces) text += piece.toString();
  return text;
}
