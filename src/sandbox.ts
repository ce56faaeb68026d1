/** Puts a sandbox together from its options and lets it listen: every part is made here and given what it needs. */
import type { IncomingMessage } from 'node:http';
import { assemble } from './assembly.ts';
import { parseDuration } from './base/duration.ts';
import { createWallClock, type WallClock } from './base/time.ts';
import { parseAllowList, refuseUrl } from './callbacks/address.ts';
import type { Endpoint } from './callbacks/callback.ts';
import { createSender } from './callbacks/send.ts';
import { defaultKey, parseKey } from './contract/keys.ts';
import { createCoverage } from './coverage/coverage.ts';
import type { CoverageReport } from './coverage/report.ts';
import { tellsOf } from './http/control/catalog.ts';
import { reportCoverage } from './http/control/coverage.ts';
import { publishRequest, toCallbackEvent, toChangeEvent } from './http/control/event-data.ts';
import type { ControlParts, TlsPlace } from './http/control/handler.ts';
import { createSession } from './http/control/session.ts';
import { listen } from './http/listen.ts';
import { createPipeline, type PipelineParts } from './http/pipeline.ts';
import type { Reply } from './http/reply.ts';
import { createApiServer } from './http/server.ts';
import { createEvents, type Events } from './journal/events.ts';
import type { Journal } from './journal/journal.ts';
import { createTally } from './journal/tally.ts';
import type { KeptWorlds } from './kept-worlds.ts';
import type { OperationId } from './operations/index.ts';
import { OperatorError, readProfile, readScenarios, watchScenarios } from './operator-files.ts';
import type { Options } from './option-table.ts';
import type { CompiledScenario } from './scenarios/compile.ts';
import { failureKinds, isOfCallbacks } from './scenarios/failure-kinds.ts';
import { magicIds } from './scenarios/shipped.ts';
import type { Certificate } from './tls/certificate.ts';
import { mostWorlds, type Worlds } from './worlds.ts';

/** A sandbox that listens. */
export interface Sandbox {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  /** Where it is over TLS, if that is spoken. */
  readonly tls: TlsPlace | undefined;
  readonly journal: Journal;
  readonly worlds: Worlds;
  /** What clients have met so far, in all projects. */
  coverage(): CoverageReport;
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
 * @throws OperatorError with everything that is wrong with profile, scenarios, certificate or data; an Error with a `code` (EADDRINUSE, …)
 * where the port can't be listened on
 */
export async function startSandbox(
  options: Options,
  notices: Notices,
  wall: WallClock = createWallClock(),
): Promise<Sandbox> {
  const callbacks = readCallbackOptions(options);
  const keptWorlds = await openKept(options, callbacks.endpoint, notices, wall);
  try {
    return await startWith(options, notices, wall, { ...callbacks, keptWorlds });
  } catch (error) {
    await keptWorlds?.close();
    throw error;
  }
}

/** What is read of the options before all else. */
type Given = ReturnType<typeof readCallbackOptions> & { readonly keptWorlds: KeptWorlds | undefined };

async function startWith(
  options: Options,
  notices: Notices,
  wall: WallClock,
  { allow, endpoint, keptWorlds }: Given,
): Promise<Sandbox> {
  const applied = await readProfile(options.profile);
  const { profile } = applied;
  const { library, active } = await readScenarios(options);
  const events = createEvents(wall);
  const sender = createSender({ allow, timeoutMs: parseDuration(profile.callbacks.timeout) ?? 0 });
  const certificate = await certify(options, wall);
  let tls: TlsPlace | undefined;
  const serverScenarios = await Promise.all(active.map((name) => library.compiled(name)));
  const { seed, strict, apiKeys, clock } = options;
  const parts = assemble({
    ...applied,
    ...{ seed, strict, apiKeys, clock, endpoint, library, sender, wall, keptWorlds },
    serverScenarios: serverScenarios.filter((scenario): scenario is CompiledScenario => scenario !== undefined),
    magicIds: options.magicIds ? await library.compiled(magicIds) : undefined,
    bug: notices.bug,
    letGo: (project) => events.publish(toChangeEvent('reset', project)),
    unkept: (id, error) => notices.remark(`${id} was answered 500: ${(error as Error).message}`),
  });
  const { journal, worlds } = parts;
  const noteBug = (error: unknown): string => {
    const id = parts.strayId();
    notices.bug(id, error);
    return id;
  };
  const { tally, coverage } = observe(parts, events);
  const controlParts: ControlParts = {
    ...parts,
    magicIds: options.magicIds,
    profile,
    session: createSession(options.adminToken),
    publishedKey: apiKeys.includes(defaultKey) ? defaultKey : undefined,
    mapTiles: options.mapTiles,
    tls: () => tls,
    authority: certificate?.authority,
    events,
    tally,
    coverage,
    defaultEndpoint: endpoint,
    refuseUrl: (url) => refuseUrl(url, allow),
  };
  const pipeline = createPipeline(parts);
  if (options.demo) {
    const [{ fillDemo }, { projectHandlers }] = await Promise.all([
      import('./demo.ts'),
      import('./http/control/projects.ts'),
    ]);
    await fillDemo({ control: controlParts, clock: projectHandlers, pipeline, key: toPlainKey(apiKeys) });
  }
  const server = createApiServer({
    api: pipeline.answer,
    control: createLazyControl(controlParts, isLoopback(options.host)),
    mapTiles: options.mapTiles,
    noteBug,
    wall,
  });
  const listening = await listen(server, { ...options, certificate }, wall);
  const { url, tlsUrl } = listening;
  // Before any request can come; those worlds have waited for long enough.
  worlds.wake();
  if (tlsUrl !== undefined) tls = { url: tlsUrl, caUrl: certificate?.authority && `${url}/_sandbox/ca.pem` };
  const unwatch = watchScenarios(options, library, notices.remark);
  return {
    url,
    tls,
    journal,
    worlds,
    coverage: () => reportCoverage(controlParts),
    close: async () => {
      unwatch();
      const closed = listening.close();
      worlds.dispose();
      events.close();
      await Promise.all([closed, sender.close()]);
      await keptWorlds?.close();
    },
  };
}

/** Where callbacks may go, and where they go at first. @throws OperatorError */
function readCallbackOptions({ callbackAllow, callbackUrl, callbackSecret }: Options) {
  const allowed = parseAllowList(callbackAllow);
  if (!allowed.ok) throw new OperatorError([`--callback-allow: ${allowed.message}`]);
  const { allow } = allowed;
  if (callbackUrl === undefined) return { allow, endpoint: undefined };
  const refusal = refuseUrl(callbackUrl, allow);
  if (refusal) throw new OperatorError([`--callback-url: ${refusal}`]);
  return { allow, endpoint: { url: callbackUrl, secret: callbackSecret, disabled: false } };
}

/** The control API, loaded and its document compiled at the first request to it: a start need not wait for that. */
function createLazyControl(parts: ControlParts, onLoopback: boolean): (request: IncomingMessage) => Promise<Reply> {
  let control: Promise<(request: IncomingMessage) => Promise<Reply>> | undefined;
  return async (request) => {
    control ??= import('./http/control/index.ts').then(({ createControl }) => createControl(parts, onLoopback));
    return (await control)(request);
  };
}

/** What was kept, if anything is to be. @throws OperatorError */
async function openKept(
  { data }: Options,
  endpoint: Endpoint | undefined,
  { remark }: Notices,
  wall: WallClock,
): Promise<KeptWorlds | undefined> {
  if (data === undefined) return undefined;
  const { openKeptWorlds } = await import('./kept-worlds.ts');
  return openKeptWorlds({ folder: data, endpoint, wall, most: mostWorlds, remark });
}

/** Counts what happens for metrics and coverage, and tells followers of it. */
function observe(parts: PipelineParts, events: Events): Pick<ControlParts, 'tally' | 'coverage'> {
  const { journal, worlds } = parts;
  const tally = createTally();
  journal.subscribe(tally.request);
  worlds.onCallback((_project, callback) => tally.callback(callback));
  const coverage = createCoverage((id) =>
    failureKinds(tellsOf(parts, id as OperationId)).filter((kind) => !isOfCallbacks(kind)),
  );
  journal.subscribe(coverage.request);
  worlds.onCallback(coverage.callback);
  worlds.onLoss((world, what) => {
    if (what !== 'everything') return;
    // Those that are answered later come into no journal any more, and their clients are still answered.
    for (const request of world.delayed) coverage.request(request);
    coverage.forget(world.id);
  });
  journal.subscribe((entry) => publishRequest(events, entry, journal));
  worlds.onCallback((project, callback) => events.publish(toCallbackEvent(project, callback)));
  worlds.onCarriedOut(events.hint);
  return { tally, coverage };
}

/** What https is served with, if it is. @throws OperatorError */
async function certify(options: Options, wall: WallClock): Promise<Certificate | undefined> {
  if (!options.tls) return undefined;
  const { obtainCertificate } = await import('./tls/certificate.ts');
  const obtained = await obtainCertificate(options, wall.now());
  if (!obtained.ok) throw new OperatorError(obtained.mistakes);
  return obtained.certificate;
}

/** The first key as a client sends it. */
function toPlainKey([first = '']: readonly string[]): string {
  const key = parseKey(first);
  return typeof key === 'string' ? '' : key.key;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
