/** Puts a sandbox together from its options and lets it listen: every part is made here and given what it needs. */
import type { AddressInfo } from 'node:net';
import controlSource from '../spec/control.yaml';
import { parseDuration } from './base/duration.ts';
import type { ProblemKind } from './base/problem.ts';
import { createHash } from './base/random.ts';
import { createWallClock, type WallClock } from './base/time.ts';
import { parseAllowList, refuseUrl } from './callbacks/address.ts';
import { createSender } from './callbacks/send.ts';
import { createContract } from './contract/contract.ts';
import type { ApiDocument } from './contract/document.ts';
import { createKeys } from './contract/keys.ts';
import { type Profile, parseSize } from './contract/profile.ts';
import { createApp, createAppServer } from './http/app.ts';
import type { ControlParts } from './http/control/handler.ts';
import { createControl } from './http/control/index.ts';
import { createPipeline, type PipelineParts } from './http/pipeline.ts';
import { createJournal, type Journal } from './journal/journal.ts';
import { type OperationId, operationIds, operations } from './operations/index.ts';
import { OperatorError, readProfile, readScenarios, watchScenarios } from './operator-files.ts';
import type { Options } from './option-table.ts';
import type { CompiledScenario } from './scenarios/compile.ts';
import { magicIds } from './scenarios/shipped.ts';
import { createWorlds } from './worlds.ts';

/** A sandbox that listens. */
export interface Sandbox {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  readonly journal: Journal;
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
  const { profile, document } = await readProfile(options.profile);
  const { library, active } = await readScenarios(options);
  const contract = await createContract(document, profile.limits.depth);
  const control = await createContract(controlSource as ApiDocument);
  const journal = createJournal();
  const allowed = parseAllowList(options.callbackAllow);
  const allow = allowed.ok ? allowed.allow : [];
  const sender = createSender({ allow, timeoutMs: toMs(profile.callbacks.timeout) });
  const endpoint =
    options.callbackUrl === undefined
      ? undefined
      : { url: options.callbackUrl, secret: options.callbackSecret, disabled: false };
  const refusal = endpoint && refuseUrl(endpoint.url, allow);
  if (refusal) throw new OperatorError([`--callback-url: ${refusal}`]);
  const serverScenarios = await Promise.all(active.map((name) => library.compiled(name)));
  const nextId = createCounter(options.seed);
  const noteBug = (error: unknown): string => {
    const id = nextId();
    notices.bug(id, error);
    return id;
  };
  const worlds = createWorlds({
    setting: {
      seed: options.seed,
      wall,
      sender,
      clock: options.clock,
      endpoint,
      duplicates: profile.duplicates,
      attendantAccess: profile.users.attendantAccess,
      strict: options.strict,
      retriesMs: profile.callbacks.retries.map(toMs),
      concurrency: profile.callbacks.concurrency,
    },
    journal,
    bug: noteBug,
    serverScenarios: serverScenarios.filter((scenario): scenario is CompiledScenario => scenario !== undefined),
    magicIds: options.magicIds ? await library.compiled(magicIds) : undefined,
  });
  const parts: PipelineParts = {
    contract,
    keys: createKeys(options.apiKeys),
    worlds,
    journal,
    library,
    wall,
    limits: { bytes: parseSize(profile.limits.body), depth: profile.limits.depth, entries: profile.limits.entries },
    strict: options.strict,
    statuses: toStatuses(profile),
    processingMs: toMs(profile.downstream.processing),
    strayId: nextId,
    modeOf: createModes(profile),
    seed: options.seed,
    defaultClock: options.clock,
  };
  const controlParts: ControlParts = {
    ...parts,
    serverScenarios: active,
    magicIds: options.magicIds,
    controlDocument: controlSource as object,
    defaultEndpoint: endpoint,
    refuseUrl: (url) => refuseUrl(url, allow),
  };
  const guard = { adminToken: options.adminToken, onLoopback: isLoopback(options.host) };
  const server = createAppServer(
    createApp({ api: createPipeline(parts), control: createControl(controlParts, control, guard), noteBug }),
  );
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(options.port, options.host, () => listening());
  });
  const unwatch = watchScenarios(options, library, notices.remark);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${toUrlHost(options.host)}:${port}`,
    journal,
    close: async () => {
      unwatch();
      const closed = new Promise<void>((done) => server.close(() => done()));
      worlds.dispose();
      // Connections whose last request ends only now are idle then, and would be kept for the next one.
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      await Promise.all([closed, sender.close()]);
      clearInterval(sweep);
    },
  };
}

function toMs(duration: string): number {
  return parseDuration(duration) ?? 0;
}

function createCounter(seed: string): () => string {
  const ids = createHash(seed, '', 'request');
  let count = 0;
  return () => `req_${ids.of(String(++count))}`;
}

/** What a profile calls `notFound` holds for records and paths alike. */
function toStatuses({ errors }: Profile): Partial<Record<ProblemKind, number>> {
  return { ...errors, unknownPath: errors.notFound };
}

function createModes({ operations: overrides }: Profile): PipelineParts['modeOf'] {
  const modes = new Map(
    operationIds.map((id) => [id, { mode: overrides[id]?.mode ?? operations[id].mode, status: overrides[id]?.status }]),
  );
  return (id: OperationId) => modes.get(id) ?? { mode: 'sync', status: undefined };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** An address that a client can ask for, in place of "all of them". */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
