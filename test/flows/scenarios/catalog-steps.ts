/** Plays an entry of the catalogue of failures, and says whether its failure was met. */

import { creates, type Operation, type OperationId, operations } from '../../../src/operations/index.ts';
import { sampleBody } from '../../../src/samples/sample.ts';
import type { CatalogEntry } from '../../../src/scenarios/catalog.ts';
import type { Receiver } from '../../harness/receiver.ts';
import type { TestSandbox } from '../../harness/sandbox.ts';
import { verify } from '../callbacks/disturbance-steps.ts';
import { callbacksOf, type ShownCallback } from '../callbacks/steps.ts';
import { type Sighting, sight } from '../sight.ts';

/** An operation of the catalogue. */
export interface Listed {
  readonly operation: OperationId;
  readonly method: string;
  readonly path: string;
  readonly mode: 'sync' | 'async';
  readonly failures: readonly CatalogEntry[];
}

/** A way to a failure: a scenario, an id or a header, and within how many requests it must lead there. */
export interface Way {
  readonly yaml?: string;
  readonly id?: string;
  readonly scenario?: string;
  readonly requests: number;
}

export interface Stage {
  readonly sandbox: TestSandbox;
  readonly receiver: Receiver;
  readonly project: string;
  readonly listed: Listed;
  readonly way: Way;
}

type Record = { [name: string]: unknown };

/** Sends the operation's sample, its first entry by this id. */
async function send({ sandbox, project, listed, way }: Stage, kind: string): Promise<Sighting> {
  const { operation: operationId, method, path } = listed;
  const { list, idField, idParam }: Operation = operations[operationId];
  const body: Record = await sampleBody(operationId, { count: 1, seed: project });
  const first = list === undefined ? body : (body[list] as Record[])[0];
  const entry = list === 'routes' ? (first?.['jobs'] as Record[] | undefined)?.[0] : first;
  const id = way.id ?? String(entry?.[idField] ?? 'X-1');
  if (entry && (idParam === undefined || idField in entry)) entry[idField] = id;
  const params: Readonly<{ [name: string]: string }> = { projectId: project, subProjectId: 'S-1', [idParam ?? '']: id };
  const url = sandbox.url() + path.replace(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? '');
  const headers = {
    apikey: 'sandbox-key',
    'content-type': 'application/json',
    ...(way.scenario !== undefined && { 'x-sandbox-scenario': way.scenario }),
  };
  return sight(sandbox, project, url, { method, headers, body: JSON.stringify(body) }, /hang|drip/.exec(kind) ?? []);
}

/** Whether a failure is met that is seen in the response, or that is told by an undisturbed callback. */
export async function responseKindIsMet(kind: string, stage: Stage): Promise<boolean> {
  const count = kind === 'limit' ? Math.max(2, stage.way.requests) : stage.way.requests;
  for (let n = 0; n < count; n += 1) {
    const seen = await send(stage, kind);
    if ((await isSeen(kind, seen, stage)) && (stage.way.requests > 1 || (await tookEffect(kind, stage)))) return true;
  }
  return false;
}

async function isSeen(kind: string, seen: Sighting, stage: Stage): Promise<boolean> {
  const { status } = seen;
  if (kind === 'refused') return isRejected(seen, stage);
  if (kind === 'failed-downstream') return hasFailed(seen, stage);
  if (kind === 'latency') return seen.entry.durationMs >= (stage.way.scenario === undefined ? 999 : 20);
  if (kind === 'limit') return status === 429 && seen.headers.has('retry-after');
  if (kind.startsWith('connection-')) return `connection-${seen.connection}` === kind.replace('-processed', '');
  return `status-${status}` === kind.replace('-processed', '');
}

function toFailures({ text }: Sighting): { readonly failed?: unknown[]; readonly errors?: unknown } {
  return text.startsWith('{') ? JSON.parse(text) : {};
}

function isRejected(seen: Sighting, { listed }: Stage): boolean {
  const { failed, errors } = toFailures(seen);
  const { listsFailures }: Operation = operations[listed.operation];
  return listsFailures ? seen.status < 300 && failed?.length === 1 : seen.status === 400 && !errors;
}

async function hasFailed(seen: Sighting, stage: Stage): Promise<boolean> {
  const { failed } = toFailures(seen);
  const { listsFailures }: Operation = operations[stage.listed.operation];
  if (stage.listed.mode === 'async') return seen.status < 300 && failed?.length === 0 && (await isToldOf(stage));
  return listsFailures ? seen.status === 200 && failed?.length === 1 : seen.status === 422;
}

async function isToldOf({ sandbox, project }: Stage): Promise<boolean> {
  await sandbox.advance(project);
  const callbacks = await callbacksOf(sandbox, project);
  return callbacks.length === 1 && callbacks[0]?.state === 'inbox' && callbacks[0].body.data.failed.length === 1;
}

/** Whether the request left a record just where its kind says so; of updates, which find none, nothing can be said. */
async function tookEffect(kind: string, { sandbox, project, listed }: Stage): Promise<boolean> {
  const operation: Operation = operations[listed.operation];
  if (!creates(operation) && operation.collection === 'users' && listed.operation === 'updateUser') return true;
  if (!creates(operation) && operation.callbackType) return true;
  await sandbox.advance(project);
  const list =
    operation.list === 'routes' ? 'jobs' : operation.collection === 'devices' ? 'locations' : operation.collection;
  const isExpected = kind === 'latency' || kind === 'limit' || kind.endsWith('-processed');
  return (await sandbox.items(project, list)).length > 0 === isExpected;
}

/** Whether the callback of a failure is disturbed as the kind says. */
export async function callbackKindIsMet(kind: string, stage: Stage): Promise<boolean> {
  const { sandbox, receiver, project, way } = stage;
  const ordered = kind.startsWith('callback-order-');
  if (ordered) await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
  const ids: string[] = [];
  const count = ordered ? 2 : way.requests > 1 ? 3 : 1;
  for (let n = 0; n < count; n += 1) ids.push((await send(stage, kind)).headers.get('x-request-id') ?? '');
  await sandbox.advance(project, '59s');
  const early = (await callbacksOf(sandbox, project)).flatMap(({ attempts }) => attempts).length;
  await sandbox.advance(project);
  const callbacks = await callbacksOf(sandbox, project);
  if (callbacks.length !== count) return false;
  if (ordered) {
    const told = receiver.received.map(({ body }) => JSON.parse(body).data);
    const order = told.filter(({ projectId }) => projectId === project).map(({ requestId }) => requestId as string);
    return new Set(order).size === 2 && order[0] === ids[1];
  }
  return callbacks.some((callback) => isDisturbed(kind, callback, early));
}

function isDisturbed(kind: string, { state, attempts }: ShownCallback, early: number): boolean {
  const [attempt] = attempts;
  const { headers = {}, sent: body = '' } = attempt ?? {};
  if (kind === 'callback-drop') return state === 'dropped' && attempts.length === 0;
  if (kind === 'callback-delay') return state === 'inbox' && early === 0;
  if (kind === 'callback-copies') return attempts.length === 3;
  if (kind === 'callback-body-malformed') return !body.endsWith('}') && verify({ headers, body }) === 'verified';
  const wanted = { invalid: 'No matching', missing: 'Missing required', stale: 'too old' }[kind.split('-')[2] ?? ''];
  return wanted !== undefined && verify({ headers, body }).includes(wanted);
}
