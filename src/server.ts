/** Starts a sandbox: creates every part from the options, passes each its dependencies, and listens. */
import { checkCallbackUrl, parseAllowList } from './callbacks/address.ts';
import type { Endpoint } from './callbacks/callback.ts';
import { createSender } from './callbacks/send.ts';
import { createSignature, parseSecret } from './callbacks/signature.ts';
import type { Cluster } from './cluster/index.ts';
import { ConfigError } from './config/config-error.ts';
import { watchScenarios } from './config/config-files.ts';
import { defaultKey, toFirstKey } from './config/keys.ts';
import { isLoopback } from './config/option-checks.ts';
import type { Options } from './config/option-table.ts';
import { readSandboxFiles, type SandboxFiles } from './config/sandbox-files.ts';
import { Session } from './control-api/caller.ts';
import { traitsOf } from './control-api/catalog.ts';
import { reportCoverage } from './control-api/coverage.ts';
import { toCallbackEvent, toChangeEvent, toRequestEvent } from './control-api/events.ts';
import type { ControlParts, TlsAddress } from './control-api/handler.ts';
import type { Control } from './control-api/index.ts';
import { recordProject } from './control-api/recording.ts';
import { createCore } from './core.ts';
import { Coverage } from './coverage/coverage.ts';
import type { CoverageReport } from './coverage/report.ts';
import type { RequestHandlerDeps } from './http/handler-deps.ts';
import { listen } from './http/listen.ts';
import { createPipeline, type Pipeline } from './http/pipeline.ts';
import { createApiServer } from './http/server.ts';
import type { Certificate } from './http/tls/certificate.ts';
import { Counters, type ProcessCounters } from './journal/counters.ts';
import { EventLog } from './journal/events.ts';
import type { Journal } from './journal/journal.ts';
import type { CapturedRecording } from './journal/recording.ts';
import { KeyRing } from './keys/key-ring.ts';
import { parseDuration } from './lib/duration.ts';
import { createLazy } from './lib/lazy.ts';
import { findSpecialFiles, specialFile } from './lib/text-file.ts';
import { createWallClock, type WallClock } from './lib/time.ts';
import { type BuiltRequest, buildRequest } from './openapi/build-request.ts';
import { type Profile, parseSize, shippedProfile } from './openapi/profile/profile.ts';
import type { OperationId } from './operations/index.ts';
import type { ProjectStore } from './project/persistence/project-store.ts';
import { maxProjects, type ProjectRegistry } from './project/registry.ts';
import { failureKinds, isCallbackKind } from './scenarios/failure-kinds.ts';
import { magicIds } from './scenarios/shipped.ts';
import { defaultMemory, ServerMemory } from './usage/admission.ts';
import type { ProjectLimits } from './usage/limits.ts';

/** A running sandbox. */
export interface RunningSandbox {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  /** Where the sandbox listens with TLS, or undefined if TLS is off. */
  readonly tls: TlsAddress | undefined;
  /** A request to try: it imports two jobs, one of which fails downstream if there are magic ids. */
  readonly example: BuiltRequest | undefined;
  readonly journal: Journal;
  readonly projects: ProjectRegistry;
  /** Returns the coverage of all projects so far. */
  coverage(): CoverageReport;
  /** Records a project as it is now. */
  recording(project: string): CapturedRecording;
  /**
   * Stops listening, completes the requests in progress, and cancels all pending work. Closes a connection after
   * `quietMs` milliseconds without data, because until then its client may still be sending.
   */
  close(quietMs?: number): Promise<void>;
}

/** Reports from the server to the process that runs it. */
export interface Notices {
  /** Reports an internal error. The response to the client contains the same id. */
  reportError(id: string, error: unknown): void;
  /** Reports a problem that the operator should see, such as a changed scenario file that is not valid. */
  warn(text: string): void;
  /**
   * Called when another server has taken over the `--data` folder. The sandbox can no longer save anything, and the
   * caller should close it.
   */
  onLockLost?(text: string): void;
  /** Keeps all requests in the journal, so that recordings are complete. */
  readonly keepsAllRequests?: boolean;
  /** Aborts a start in progress while it waits for something. */
  readonly ending?: AbortSignal;
  /** Counters of the process around the server, for the metrics. */
  readonly counters?: Readonly<ProcessCounters>;
}

/**
 * Starts a sandbox. `files`: those of the options, if the caller has read them already.
 * @throws ConfigError that lists every mistake in the profile, scenarios, certificate or data
 * @throws Error with a `code` (EADDRINUSE, …) if the server can't listen on the port
 */
export async function startSandbox(
  options: Options,
  notices: Notices,
  wall: WallClock = createWallClock(),
  files?: SandboxFiles,
): Promise<RunningSandbox> {
  const read = files ?? (await readSandboxFiles(options));
  const callbacks = readCallbackOptions(options, read.applied.profile);
  const cluster = await openShared(options, read, callbacks.endpoint, notices, wall);
  const store = cluster?.store ?? (await openStore(options, callbacks.endpoint, notices, wall));
  try {
    return await startWith(options, notices, wall, { ...callbacks, store, cluster, files: read });
  } catch (error) {
    await (cluster ?? store)?.close();
    throw error;
  }
}

/** The parts that are created before all others. */
type FirstParts = ReturnType<typeof readCallbackOptions> & {
  readonly store: ProjectStore | undefined;
  readonly cluster: Cluster | undefined;
  readonly files: SandboxFiles;
};

/** What changes while the server runs. `authority`: the certificate that clients must trust. */
type Running = { tls: TlsAddress | undefined; authority: string | undefined; isEnding: boolean };

async function startWith(
  options: Options,
  notices: Notices,
  wall: WallClock,
  { allow, endpoint, store, cluster, files }: FirstParts,
): Promise<RunningSandbox> {
  const { applied, contract, library, serverScenarios } = files;
  const { profile } = applied;
  const events = new EventLog(wall, cluster?.origin);
  const sender = createSender({ allow, timeoutMs: parseDuration(profile.callbacks.timeout) ?? 0, wall });
  const certificate = await loadCertificate(options, wall, cluster);
  const authority = certificate?.authority;
  const state: Running = { tls: undefined, authority, isEnding: false };
  const { seed, strict, apiKeys, clock } = options;
  const keys = new KeyRing({
    texts: apiKeys,
    wall,
    ...(store && { store: store.keys }),
  });
  const memory = new ServerMemory(options.memory ?? defaultMemory());
  const core = createCore({
    ...applied,
    ...{ seed, strict, keys, clock, endpoint, library, sender, wall, store, contract, serverScenarios },
    magicIds: options.magicIds ? await library.compiled(magicIds) : undefined,
    limits: toLimits(profile, memory.limit),
    memory,
    keepsAllRequests: notices.keepsAllRequests ?? false,
    evictsWithoutFiles: options.adminToken === undefined,
    placement: cluster,
    origin: cluster?.origin,
    reportError: notices.reportError,
    onEvict: (project) => events.publish(toChangeEvent('reset', project)),
    onUnsaved: (id, error) => notices.warn(`responded to ${id} with 500: ${(error as Error).message}`),
  });
  const controlParts: ControlParts = {
    ...core,
    ...observe(core, events),
    magicIds: options.magicIds,
    profile,
    document: applied.document,
    overlays: applied.overlays,
    session: new Session(options.adminToken, keys, profile.regions.separate),
    keys,
    controlPlacement: cluster?.controlPlacement,
    publishedKey: apiKeys.includes(defaultKey) ? defaultKey : undefined,
    mapTiles: options.mapTiles,
    tls: () => state.tls,
    isShuttingDown: () => state.isEnding,
    isConnected: () => cluster?.isConnected() ?? true,
    authority: () => state.authority,
    events,
    processCounters: notices.counters ?? { logLinesDropped: 0, errorsEscaped: 0 },
    defaultEndpoint: endpoint,
    checkCallbackUrl: (url) => checkCallbackUrl(url, allow),
    limitsCallbackHosts: allow.length > 0,
  };
  const requestHandler = createPipeline(core);
  // Loaded and compiled at the first request to it, to keep the start fast.
  const control = createLazy(async () => {
    const { createControl } = await import('./control-api/index.ts');
    return createControl(controlParts, isLoopback(options.host));
  });
  await cluster?.start({ control: controlParts, api: requestHandler, loaded: control });
  if (options.demo) {
    const { fillDemo } = await import('./demo.ts');
    await fillDemo({ control: controlParts, requestHandler, key: toFirstKey(apiKeys) ?? '' });
  }
  const listening = await listenWith(options, notices, controlParts, control, requestHandler, certificate);
  const { url, tlsUrl } = listening;
  // Resume saved projects before the first request can arrive: their commands may be overdue.
  core.projects.resumeSaved();
  if (options.tlsCert === undefined)
    await cluster?.certificate.use((shared) => {
      if (shared === null) return;
      state.authority = shared.authority;
      listening.setCertificate(shared);
    });
  if (tlsUrl !== undefined) state.tls = { url: tlsUrl, caUrl: authority && `${url}/_sandbox/ca.pem` };
  const unwatch = watchScenarios(options, library, notices.warn);
  const disposeAll = (): void => {
    core.projects.dispose();
    events.close();
  };
  return {
    url,
    tls: state.tls,
    example: await toExample(core, profile, options.magicIds),
    journal: core.journal,
    projects: core.projects,
    coverage: () => reportCoverage(controlParts, controlParts.coverage.read()),
    recording: (project) => recordProject(controlParts, project),
    close: async (quietMs = 0) => {
      const untilMs = wall.elapsed() + maxServingMs;
      state.isEnding = true;
      unwatch();
      if (cluster) await cluster.leave(quietMs > 0);
      await listening.close(quietMs, disposeAll, untilMs - wall.elapsed());
      await sender.close();
      await keys.close();
      await (cluster ?? store)?.close();
    },
  };
}

/** Builds the request to try, with the fields that the profile requires. */
async function toExample(
  { contract }: Pick<ControlParts, 'contract'>,
  profile: Profile,
  hasMagicIds: boolean,
): Promise<BuiltRequest | undefined> {
  const operation = contract.operations.get('asyncImportJobs');
  const jobs = [{ id: 'ORD-1' }, { id: hasMagicIds ? 'FAIL-GEOCODE-1' : 'ORD-2' }];
  const request = operation && buildRequest(operation, { projectId: 'demo' }, { jobs });
  if (!request || profile === shippedProfile) return request;
  const { createFitting } = await import('./samples/fit.ts');
  const body = { ...request.body };
  createFitting(contract, 'asyncImportJobs')(body);
  return { ...request, body };
}

function listenWith(
  options: Options,
  notices: Notices,
  controlParts: ControlParts,
  control: () => Promise<Control>,
  requestHandler: Pipeline,
  certificate: Certificate | undefined,
): ReturnType<typeof listen> {
  const { wall, createRequestId } = controlParts;
  const server = createApiServer({
    api: requestHandler.handle,
    replies: controlParts.replies,
    control: async (request) => (await control()).handle(request),
    rejectMalformed: requestHandler.rejectMalformed,
    mapTiles: options.mapTiles,
    onLoopback: isLoopback(options.host),
    logError: (error) => {
      const id = createRequestId();
      notices.reportError(id, error);
      return id;
    },
    wall,
  });
  return listen(server, { ...options, certificate }, wall, ({ message }) =>
    notices.warn(`could not accept a connection (${message}); the server continues`),
  );
}

/** For how long a sandbox that is closed serves requests, in milliseconds: processes have ten seconds to end. */
const maxServingMs = 7500;

/** Default maximum share of the server's memory for one project; a profile can set its own limit. */
const projectShare = 0.25;

function toLimits({ limits: { project } }: Profile, memory: number): ProjectLimits {
  const { bytes } = project;
  return { ...project, bytes: bytes === undefined ? Math.floor(memory * projectShare) : parseSize(bytes) };
}

/** Reads where callbacks may be sent, and the default endpoint, with a secret for the profile's signature. @throws ConfigError */
function readCallbackOptions({ callbackAllow, callbackUrl, callbackSecret }: Options, { callbacks }: Profile) {
  const allowed = parseAllowList(callbackAllow);
  if (!allowed.ok) throw new ConfigError([`--callback-allow: ${allowed.message}`]);
  const { allow } = allowed;
  const parsed = parseSecret(callbackSecret, createSignature(callbacks.signature).secrets);
  if (!parsed.ok) throw new ConfigError([`--callback-secret: ${parsed.message} (not shown)`]);
  if (callbackUrl === undefined) return { allow, endpoint: undefined };
  const refusal = checkCallbackUrl(callbackUrl, allow);
  if (refusal) throw new ConfigError([`--callback-url: ${refusal}`]);
  return { allow, endpoint: { url: callbackUrl, secret: callbackSecret, disabled: false } };
}

/** Opens the store of `--data`; returns undefined if the option is not set. @throws ConfigError */
async function openStore(
  { data }: Options,
  endpoint: Endpoint | undefined,
  { warn, onLockLost = warn, ending }: Notices,
  wall: WallClock,
): Promise<ProjectStore | undefined> {
  if (data === undefined) return undefined;
  const special = await findSpecialFiles(data);
  if (special.length > 0) throw new ConfigError(special.map((file) => `--data: ${file}: ${specialFile}`));
  const { openProjectStore } = await import('./project/persistence/project-store.ts');
  return openProjectStore({ folder: data, endpoint, wall, maxFound: maxProjects, warn, onLockLost, ending });
}

/** Joins the servers that share a database; returns undefined without `--postgres`. @throws ConfigError */
async function openShared(
  options: Options,
  { applied }: SandboxFiles,
  endpoint: Endpoint | undefined,
  { warn, reportError }: Notices,
  wall: WallClock,
): Promise<Cluster | undefined> {
  const { postgres, seed, apiKeys } = options;
  if (postgres === undefined) return undefined;
  const { openCluster } = await import('./cluster/index.ts');
  return openCluster({
    options: { ...options, postgres },
    settings: { seed, profile: [applied.profile, applied.document], apiKeys },
    endpoint,
    wall,
    warn,
    reportError: (error) => reportError('cluster', error),
  });
}

/** Counts requests and callbacks for metrics and coverage, and publishes them as events. */
function observe(parts: RequestHandlerDeps, events: EventLog): Pick<ControlParts, 'counters' | 'coverage'> {
  const { journal, projects } = parts;
  const counters = new Counters();
  journal.subscribe((entry) => counters.request(entry));
  projects.on('callback', (_project, _callback, made) => made && counters.attempt(made));
  const coverage = new Coverage((id) =>
    failureKinds(traitsOf(parts, id as OperationId)).filter((kind) => !isCallbackKind(kind)),
  );
  journal.subscribe((entry) => coverage.request(entry));
  projects.on('callback', (project, callback, made) =>
    coverage.callback(project, callback, made ? 'attempt' : 'other'),
  );
  projects.on('discard', (project, { what }) => {
    if (what !== 'everything') return;
    // The journal ignores delayed requests of a discarded project, but their clients still get a response.
    for (const request of project.delayedRequests) coverage.request(request);
    coverage.forget(project.id);
  });
  journal.subscribe((entry) => events.publish(toRequestEvent(entry)));
  projects.on('callback', (project, callback) => events.publish(toCallbackEvent(project, callback)));
  projects.on('commandApplied', (project) => events.notifyRecordsChanged(project));
  return { counters, coverage };
}

/** Loads or creates the certificate for TLS; returns undefined if TLS is off. @throws ConfigError */
async function loadCertificate(
  options: Options,
  wall: WallClock,
  cluster: Cluster | undefined,
): Promise<Certificate | undefined> {
  if (!options.tls) return undefined;
  const { obtainCertificate } = await import('./http/tls/certificate.ts');
  const obtained = await obtainCertificate(options, wall.now(), cluster?.shareCertificate);
  if (!obtained.ok) throw new ConfigError(obtained.mistakes);
  return obtained.certificate;
}
