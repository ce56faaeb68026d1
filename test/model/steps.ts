/** One request, and its expected result: the response, and what takes effect now or later. */
import type { OperationId } from '../../src/operations/index.ts';
import { type Fields, readEntry } from './fields.ts';
import { applyEntry, type Expected, importRoutes, processList, readList, schedule, toResult } from './lists.ts';
import { documented, type Endpoint, kindOf, listOf, type Target, toEndpoint } from './operations.ts';
import { anyText, change, type Failed, locate, put, type State, toIso } from './rules.ts';

export interface Step {
  readonly operation: OperationId;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Applies the request to the model and returns the expected response. `requestId` is the real one. */
  readonly expect: (state: State, requestId: string) => Expected;
}

export function toStep(operation: OperationId, target: Target, body: unknown): Step {
  const endpoint = toEndpoint(operation, target);
  const { method, path } = endpoint;
  return { operation, method, path, body, expect: (state, requestId) => apply(state, endpoint, body, requestId) };
}

function apply(state: State, endpoint: Endpoint, body: unknown, requestId: string): Expected {
  const { operation } = endpoint;
  const list = listOf(operation);
  const entries = list === undefined ? [body] : ((body as Fields)[list] as readonly unknown[]);
  if (operation.startsWith('submitLocation')) return submit(state, operation, entries);
  if (operation === 'registerUser') return register(state, body);
  if (operation === 'updateUser') return updateUser(state, endpoint, body);
  if (list === 'routes') return importRoutes(state, endpoint, entries as readonly Fields[], requestId);
  return list ? processList(state, endpoint, entries, requestId) : processOne(state, endpoint, body, requestId);
}

/** Codes of the refusals that the stories meet, by status. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  404: 'not_found',
  409: 'duplicate',
  422: 'rejected_downstream',
};

const reject = (status: number, message = anyText): Expected => ({ status, body: { message, code: codes[status] } });

/** Returns the response of an operation that returns a message. */
function toMessage(failed: Failed | undefined, { operation }: Pick<Endpoint, 'operation'>, name: string): Expected {
  if (failed) return reject(failed.status, failed.reason);
  const [, , status] = documented[operation];
  return { status, body: { message: `${name} ${status === 201 ? 'created' : 'updated'}` } };
}

/**
 * Creates or updates the record that the path or the body names. An invalid body is a 400; an entry that a scenario
 * rejects is listed, if the response has a list.
 */
function processOne(state: State, endpoint: Endpoint, body: unknown, requestId: string): Expected {
  const kind = kindOf(endpoint.operation);
  const valid = readEntry(endpoint.operation, body);
  if (!valid || ('id' in valid && endpoint.id !== undefined && valid['id'] !== endpoint.id)) return reject(400);
  const { accepted, rejected } = readList(state, endpoint, [body]);
  const [read] = accepted;
  if (!read) return endpoint.isLater ? toResult(state, endpoint, [], rejected) : reject(400);
  const defaults = endpoint.method === 'POST' ? { deliveryDate: toIso(state.now) } : {};
  const entry = { ...read, fields: { ...defaults, ...read.fields } };
  const run = () => applyEntry(state, endpoint, entry);
  if (!endpoint.isLater) return toMessage(run()[0], endpoint, `${kind.slice(0, -1)} ${read.id}`);
  schedule(state, endpoint, requestId, { type: `${kind}.update.failed`, creates: [], run });
  return toResult(state, endpoint, [entry], []);
}

/** The password is not stored. */
function toStored(state: State, { password, projectId: _inPath, ...fields }: Fields): Fields {
  return { ...fields, ...(password !== undefined && { passwordChangedAt: toIso(state.now) }) };
}

function register(state: State, body: unknown): Expected {
  const fields = readEntry('registerUser', body);
  if (!fields) return reject(400);
  const username = String(fields['username']);
  const failed = put(state, 'users', username, toStored(state, fields));
  return toMessage(failed, { operation: 'registerUser' }, `user ${username}`);
}

function updateUser(state: State, endpoint: Endpoint, body: unknown): Expected {
  const fields = readEntry('updateUser', body);
  if (!fields) return reject(400);
  const { id = '' } = endpoint;
  return toMessage(change(state, 'users', id, toStored(state, fields)), endpoint, `user ${id}`);
}

/** One invalid location rejects them all. */
function submit(state: State, operation: OperationId, locations: readonly unknown[]): Expected {
  const points = locations.map((one) => readEntry(operation, one));
  if (points.some((one) => one === undefined)) return reject(400);
  for (const point of points) if (point) locate(state, point);
  return { status: 200, body: {} };
}
