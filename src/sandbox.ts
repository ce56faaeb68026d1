/** Puts a sandbox together from its options and lets it listen: every part is made here and given what it needs. */
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import controlSource from '../spec/control.yaml';
import apiSource from '../spec/openapi.yaml';
import { parseDuration } from './base/duration.ts';
import type { ProblemKind } from './base/problem.ts';
import { createHash } from './base/random.ts';
import { createWallClock, type WallClock } from './base/time.ts';
import { parseAllowList, refuseUrl } from './callbacks/address.ts';
import { createSender } from './callbacks/send.ts';
import { createContract } from './contract/contract.ts';
import { type ApiDocument, applyProfile, eachOperation } from './contract/document.ts';
import { createKeys } from './contract/keys.ts';
import { type Profile, parseSize, shippedProfile } from './contract/profile.ts';
import { createApp, createAppServer } from './http/app.ts';
import type { ControlParts } from './http/control/handler.ts';
import { createControl } from './http/control/index.ts';
import { createPipeline, type PipelineParts } from './http/pipeline.ts';
import { createJournal, type Journal } from './journal/journal.ts';
import { type OperationId, operationIds, operations } from './operations/index.ts';
import type { Options } from './options.ts';
import type { CompiledScenario } from './scenarios/compile.ts';
import { readFolder, readScenarioFile, readText, watchFolder } from './scenarios/files.ts';
import { createLibrary, type Library } from './scenarios/library.ts';
import { magicIds, shippedScenarios } from './scenarios/shipped.ts';
import { createWorlds } from './worlds.ts';

/** Everything that is wrong with what the operator gave: files that can't be read, scenarios that can't be used. */
export class OperatorError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.name = 'OperatorError';
    this.mistakes = mistakes;
  }
}

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
  const profile = await readProfile(options.profile);
  const { library, active } = await readScenarios(options);
  const contract = await createContract(toServed(profile, options.profile), profile.limits.depth);
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
    serverScenarios: serverScenarios.filter((scenario): scenario is CompiledScenario => scenario !== undefined),
    magicIds: options.magicIds ? await library.compiled(magicIds) : undefined,
  });
  const nextId = createCounter(options.seed);
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
  };
  const controlParts: ControlParts = {
    ...parts,
    serverScenarios: active,
    magicIds: options.magicIds,
    controlDocument: controlSource as object,
    defaultEndpoint: endpoint,
    defaultClock: options.clock,
    refuseUrl: (url) => refuseUrl(url, allow),
  };
  const noteBug = (error: unknown): string => {
    const id = nextId();
    notices.bug(id, error);
    return id;
  };
  const guard = { adminToken: options.adminToken, onLoopback: isLoopback(options.host) };
  const server = createAppServer(
    createApp({ api: createPipeline(parts), control: createControl(controlParts, control, guard), noteBug }),
  );
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(options.port, options.host, () => listening());
  });
  const unwatch = watchScenarios(options, library, notices);
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

async function readProfile(file: string | undefined): Promise<Profile> {
  if (file === undefined) return shippedProfile;
  const { parseProfile } = await import('./contract/profile-file.ts');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError([`${file}: can't be read (${error.code})`]);
  });
  const parsed = parseProfile(text, file, pathParameters());
  if (parsed.ok) return parsed.profile;
  const { formatIssue } = await import('./base/yaml-file.ts');
  throw new OperatorError(parsed.issues.map((issue) => formatIssue(issue, text)));
}

/** The API's document with the profile applied; two operations that it moved to one place are the operator's mistake. */
function toServed(profile: Profile, file = 'the shipped profile'): ApiDocument {
  try {
    return applyProfile(apiSource as ApiDocument, profile);
  } catch (error) {
    throw new OperatorError([`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** The path parameters of every operation: a moved path must have them all. */
export function pathParameters(): ReadonlyMap<string, readonly string[]> {
  const found = [...eachOperation(apiSource as ApiDocument)].map(
    ({ path, operation }) =>
      [String(operation['operationId']), [...path.matchAll(/\{(.*?)\}/g)].map((match) => match[1] ?? '')] as const,
  );
  return new Map(found);
}

/** The library, and the names of the scenarios that are switched on for all projects. */
async function readScenarios(options: Options): Promise<{ library: Library; active: readonly string[] }> {
  const library = createLibrary(shippedScenarios);
  const mistakes: string[] = [];
  const active: string[] = [];
  const folder = options.scenarioDir === undefined ? undefined : await readFolder(options.scenarioDir, operationIds);
  for (const entry of folder?.entries ?? []) library.put(entry);
  mistakes.push(...(folder?.mistakes ?? []));
  const inline = options.scenarioYaml;
  if (inline !== undefined) {
    const read = await readText(inline, 'SANDBOX_SCENARIO_YAML', 'option', operationIds);
    mistakes.push(...read.mistakes);
    for (const entry of read.entries) {
      library.put(entry);
      active.push(entry.name);
    }
  }
  for (const nameOrFile of options.scenarios) {
    if (library.find(nameOrFile)) {
      active.push(nameOrFile);
      continue;
    }
    const read = await readNamed(nameOrFile, library);
    mistakes.push(...read.mistakes);
    for (const entry of read.entries) {
      if (library.find(entry.name)?.source === 'option') {
        mistakes.push(`${nameOrFile}: another scenario that was given has the name "${entry.name}" too`);
      }
      library.put(entry);
      active.push(entry.name);
    }
  }
  if (mistakes.length > 0) throw new OperatorError(mistakes);
  return { library, active };
}

async function readNamed(nameOrFile: string, library: Library): ReturnType<typeof readScenarioFile> {
  if (/[./\\]/.test(nameOrFile)) return readScenarioFile(nameOrFile, 'option', operationIds);
  const { didYouMean } = await import('./base/nearest.ts');
  const names = library.list().map(({ name }) => name);
  return {
    entries: [],
    mistakes: [
      `--scenario: there is no scenario "${nameOrFile}"${didYouMean(nameOrFile, names)}; there are ${names.join(', ')}`,
    ],
  };
}

/** Reads the folder again when it changes. What is not valid keeps its old version. */
function watchScenarios({ scenarioDir }: Options, library: Library, notices: Notices): () => void {
  if (scenarioDir === undefined) return () => undefined;
  return watchFolder(scenarioDir, () => {
    void readFolder(scenarioDir, operationIds).then(({ entries, mistakes }) => {
      for (const mistake of mistakes) notices.remark(mistake);
      for (const entry of entries) library.put(entry);
      // A file that can't be read now may be the home of any name that is missing.
      if (mistakes.length > 0) return;
      const names = new Set(entries.map(({ name }) => name));
      for (const { name } of library.list()) if (!names.has(name)) library.remove(name, 'folder');
    });
  });
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
