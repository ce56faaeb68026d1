/** Starts a sandbox on a free port for one test file, and checks every response against the OpenAPI documents. */
import { Agent } from 'node:http';
import supertest, { type Response } from 'supertest';
import { afterAll, beforeAll, expect } from 'vitest';
import controlSource from '../../spec/control.yaml';
import apiSource from '../../spec/openapi.yaml';
import type { OptionTexts } from '../../src/config/options.ts';
import { createWallClock, type WallClock } from '../../src/lib/time.ts';
import type { ApiDocument } from '../../src/openapi/api-document.ts';
import { type Contract, createContract } from '../../src/openapi/contract.ts';
import { applyProfile } from '../../src/openapi/document.ts';
import { type Profile, shippedProfile } from '../../src/openapi/profile/profile.ts';
import type { RunningSandbox } from '../../src/server.ts';
import { checkResponse } from './check-response.ts';
import { noNotices, readOptions, startSandbox } from './start-sandbox.ts';

/** A sandbox for tests. Bodies are sent as JSON; a string or a Buffer is sent as is. */
export interface TestSandbox {
  readonly url: () => string;
  /** Returns where the sandbox listens with TLS, or undefined if TLS is off. */
  readonly tls: () => RunningSandbox['tls'];
  /** Sends a request to the API, with the default key unless the headers set another. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string | undefined>): Promise<Response>;
  /** Sends a request to the control API, `path` without `/_sandbox`. */
  control(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Freezes a project's clock: nothing happens until the test advances it. */
  freeze(project: string): Promise<void>;
  /** Advances a frozen clock by `by`, such as `'2s'`, or until nothing is pending. */
  advance(
    project: string,
    by?: string,
  ): Promise<{ processed: number; delivered: number; pending: number; now: string }>;
  /** Closes the sandbox and starts it again, with other options in place of those that are named. */
  restart(changes?: OptionTexts, meanwhile?: () => void): Promise<void>;
  /** Returns the items of one of the project's lists. */
  items(project: string, list: string): Promise<Record<string, unknown>[]>;
}

// Compiling the validators of responses takes seconds, and the files of a worker share this module.
const control = createContract(controlSource as ApiDocument);
const contracts = new Map<Profile, Contract>();

function contractOf(profile: Profile): Contract {
  const contract = contracts.get(profile) ?? createContract(applyProfile(apiSource as ApiDocument, profile));
  contracts.set(profile, contract);
  return contract;
}

let nextProject = 0;

/** Returns the id of a project that no other test uses. */
export function freshProject(): string {
  nextProject += 1;
  return `p-${nextProject}`;
}

/** Starts a sandbox for this file. Checks its responses against `profile`, by default the shipped one. `wall`: its clock. */
export function useSandbox(
  options: OptionTexts = {},
  profile: Profile = shippedProfile,
  wall: WallClock = createWallClock(),
): TestSandbox {
  let sandbox: RunningSandbox;
  let api: Contract;

  async function start(changes: OptionTexts = {}): Promise<void> {
    sandbox = await startSandbox(readOptions({ ...options, ...changes }), noNotices, wall);
  }
  async function stop(): Promise<void> {
    // A sandbox waits a moment before it ends connections that are still open.
    agent.destroy();
    await sandbox?.close();
  }
  beforeAll(async () => {
    await start();
    api = contractOf(profile);
  });
  afterAll(stop);

  async function ask(
    contract: Contract,
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string | undefined>,
  ): Promise<Response> {
    const response = await send(sandbox.url, method, path, body, headers);
    const match = contract.match(method, path);
    if (match.found) {
      const value: unknown = response.type === 'text/plain' ? response.text : response.body;
      const actual = response.text === '' || response.text === undefined ? undefined : value;
      expect(checkResponse(contract, match.operation.id, response.status, actual)).toBeUndefined();
    }
    return response;
  }

  const json = { 'content-type': 'application/json' };
  const self: TestSandbox = {
    url: () => sandbox.url,
    tls: () => sandbox.tls,
    api: (method, path, body, headers = {}) =>
      ask(api, method, path, body, { apikey: 'sandbox-key', ...(body === undefined ? {} : json), ...headers }),
    control: (method, path, body, headers = {}) =>
      ask(control, method, `/_sandbox${path}`, body, { ...(body === undefined ? {} : json), ...headers }),
    freeze: async (project) => {
      expect((await self.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' })).status).toBe(200);
    },
    advance: async (project, by) => {
      const target = by === undefined ? { until: 'idle' } : { by };
      const response = await self.control('POST', `/projects/${project}/clock/advance`, target);
      expect(response.status).toBe(200);
      return response.body as Awaited<ReturnType<TestSandbox['advance']>>;
    },
    restart: async (changes, meanwhile) => {
      await stop();
      meanwhile?.();
      await start(changes);
    },
    items: async (project, list) => {
      const response = await self.control('GET', `/projects/${project}/${list}?limit=1000`);
      return response.body.items as Record<string, unknown>[];
    },
  };
  return self;
}

/** Keeps connections open, but a shorter time than the server does: it never closes one in the moment of its next use. */
const agent = new Agent({ keepAlive: true, timeout: 2_000 });

/** Sends a request. Headers whose value is undefined are left out. */
function send(
  url: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string | undefined>,
): Promise<Response> {
  const request = supertest(url)
    [method.toLowerCase() as 'post'](path)
    .agent(agent)
    .ok(() => true);
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) request.set(name, value);
  if (body === undefined) return request;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return request.send(JSON.stringify(body));
  return request.serialize((raw: unknown) => raw as string).send(body as string);
}
