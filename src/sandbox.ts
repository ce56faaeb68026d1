/** Puts a sandbox together from its options and lets it listen: every part is made here and given what it needs. */
import type { AddressInfo } from 'node:net';
import controlSource from '../spec/control.yaml';
import { assemble } from './assembly.ts';
import { parseDuration } from './base/duration.ts';
import { createWallClock, type WallClock } from './base/time.ts';
import { parseAllowList, refuseUrl } from './callbacks/address.ts';
import { createSender } from './callbacks/send.ts';
import { createContract } from './contract/contract.ts';
import type { ApiDocument } from './contract/document.ts';
import { defaultKey } from './contract/keys.ts';
import { createApp, createAppServer } from './http/app.ts';
import { createConsole } from './http/console.ts';
import { publishRequest, toCallbackEvent, toChangeEvent } from './http/control/event-data.ts';
import type { ControlParts } from './http/control/handler.ts';
import { createControl } from './http/control/index.ts';
import { createSession } from './http/control/session.ts';
import { createPipeline } from './http/pipeline.ts';
import { createEvents } from './journal/events.ts';
import type { Journal } from './journal/journal.ts';
import { createTally } from './journal/tally.ts';
import { OperatorError, readProfile, readScenarios, watchScenarios } from './operator-files.ts';
import type { Options } from './option-table.ts';
import type { CompiledScenario } from './scenarios/compile.ts';
import { magicIds } from './scenarios/shipped.ts';
import type { Worlds } from './worlds.ts';

/** A sandbox that listens. */
export interface Sandbox {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  readonly journal: Journal;
  readonly worlds: Worlds;
  /** Stops listening, lets requests under way end, cancels all that is due. */
  close(): Promise<void>;
}

/** What is told to whoever runs the process. */
export interface Notices {
  /** A bug of ours, under the id that the client was told. */
  bug(id: string, error: unknown): void;
  /** Something the operator should see, such as a changed scenario file that is not valid. */
  remark(text: string): void;
}

/**
 * Starts a sandbox.
 * @throws OperatorError with everything that is wrong with profile and scenarios; an Error with a `code` (EADDRINUSE, …)
 * where the port can't be listened on
 */
export async function startSandbox(
  options: Options,
  notices: Notices,
  wall: WallClock = createWallClock(),
): Promise<Sandbox> {
  const applied = await readProfile(options.profile);
  const { profile } = applied;
  const { library, active } = await readScenarios(options);
  const control = await createContract(controlSource as ApiDocument);
  const events = createEvents(wall);
  const allowed = parseAllowList(options.callbackAllow);
  if (!allowed.ok) throw new OperatorError([`--callback-allow: ${allowed.message}`]);
  const { allow } = allowed;
  const sender = createSender({ allow, timeoutMs: parseDuration(profile.callbacks.timeout) ?? 0 });
  const endpoint =
    options.callbackUrl === undefined
      ? undefined
      : { url: options.callbackUrl, secret: options.callbackSecret, disabled: false };
  const refusal = endpoint && refuseUrl(endpoint.url, allow);
  if (refusal) throw new OperatorError([`--callback-url: ${refusal}`]);
  const serverScenarios = await Promise.all(active.map((name) => library.compiled(name)));
  const { seed, strict, apiKeys, clock } = options;
  const parts = await assemble({
    ...applied,
    ...{ seed, strict, apiKeys, clock, endpoint, library, sender, wall },
    serverScenarios: serverScenarios.filter((scenario): scenario is CompiledScenario => scenario !== undefined),
    magicIds: options.magicIds ? await library.compiled(magicIds) : undefined,
    bug: notices.bug,
    letGo: (project) => events.publish(toChangeEvent('reset', project)),
  });
  const { journal, worlds } = parts;
  const noteBug = (error: unknown): string => {
    const id = parts.strayId();
    notices.bug(id, error);
    return id;
  };
  const tally = createTally();
  journal.subscribe(tally.request);
  worlds.onCallback((_project, callback) => tally.callback(callback));
  journal.subscribe((entry) => publishRequest(events, entry, journal));
  worlds.onCallback((project, callback) => events.publish(toCallbackEvent(project, callback)));
  worlds.onCarriedOut(events.hint);
  const controlParts: ControlParts = {
    ...parts,
    magicIds: options.magicIds,
    controlDocument: controlSource as object,
    profile,
    session: createSession(options.adminToken),
    publishedKey: apiKeys.includes(defaultKey) ? defaultKey : undefined,
    mapTiles: options.mapTiles,
    events,
    tally,
    defaultEndpoint: endpoint,
    refuseUrl: (url) => refuseUrl(url, allow),
  };
  const server = createAppServer(
    createApp({
      api: createPipeline(parts).answer,
      control: createControl(controlParts, control, isLoopback(options.host)),
      console: createConsole(options.mapTiles),
      noteBug,
      wall,
    }),
  );
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(options.port, options.host, () => listening());
  });
  const unwatch = watchScenarios(options, library, notices.remark);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${toUrlHost(options.host)}:${port}`,
    journal,
    worlds,
    close: async () => {
      unwatch();
      const closed = new Promise<void>((done) => server.close(() => done()));
      worlds.dispose();
      events.close();
      // Connections whose last request ends only now are idle then, and would be kept for the next one.
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      // Who has not sent a whole request by then is not waited for.
      const stopWaiting = wall.after(graceMs, () => server.closeAllConnections());
      await Promise.all([closed, sender.close()]);
      clearInterval(sweep);
      stopWaiting();
    },
  };
}

/** How long connections may take to end when the sandbox is closed. */
const graceMs = 5000;

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** An address that a client can ask for, in place of "all of them". */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
