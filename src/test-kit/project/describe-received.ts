/** Describes what a project received when a wait fails: callbacks, requests, errors, and a frozen clock. */
import { formatCount } from '../../lib/format.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { ControlClient } from '../control-client.ts';
import type { CallbackView, ClockView } from '../types.ts';

type Request = components['schemas']['RequestProblem'];

/** Maximum number of kinds to list; a message with more is hard to read. */
const maxKinds = 8;
const maxMessageLength = 200;

/** Describes what a project has received so far; includes its callbacks if `withCallbacks`. */
export async function describeReceived(client: ControlClient, path: string, withCallbacks: boolean): Promise<string> {
  const [callbacks, requests, clock] = await Promise.all([
    withCallbacks ? client.list<CallbackView>(`${path}/callbacks`) : [],
    client.list<Request>(`${path}/requests`, { view: 'problems' }),
    client.ask<ClockView>('GET', `${path}/clock`),
  ]);
  const received = [
    ...(withCallbacks ? [describeCallbacks(callbacks)] : []),
    describeRequests(requests),
    ...(requests.length === 0 ? await describeUnassigned(client) : []),
  ];
  const { mode, pending } = clock;
  const frozenHint = `; the clock is frozen with ${pending} pending: call clock.advance('idle')`;
  return `; received: ${received.join('; ')}${mode === 'frozen' && pending > 0 ? frozenHint : ''}`;
}

/** Describes callbacks by type and state: `1 of type jobs.import.failed, inbox; 2 of type …`. */
function describeCallbacks(callbacks: readonly CallbackView[]): string {
  if (callbacks.length === 0) return 'no callback';
  const kinds = countKinds(callbacks.map(({ type, state }) => `of type ${type}, ${state}`));
  return kinds.map(([kind, times]) => `${times} ${kind}`).join('; ');
}

/** Describes requests: `3 requests: asyncImportJobs 202 × 2, asyncImportJobs 400 "expected …"`. */
function describeRequests(requests: readonly Request[]): string {
  if (requests.length === 0) return 'no request';
  const firsts = new Map(requests.map((request) => [toKind(request), request] as const).toReversed());
  const descriptions = countKinds(requests.map(toKind)).map(([kind, times]) => {
    const { message = '' } = firsts.get(kind) ?? {};
    return `${kind}${times > 1 ? ` × ${times}` : ''}${message && ` "${message.slice(0, maxMessageLength)}"`}`;
  });
  return `${formatCount(requests.length, 'request')}: ${descriptions.join(', ')}`;
}

function toKind({ operation, method, path, status }: Request): string {
  return `${operation ?? `${method} ${path}`} ${status}`;
}

/** Describes requests without a project: a request with a wrong path or key does not reach this one. */
async function describeUnassigned(client: ControlClient): Promise<readonly string[]> {
  const all = await client.list<Request>('/requests', { view: 'problems' });
  const unassigned = all.filter(({ project }) => project === null);
  return unassigned.length === 0 ? [] : [`without a project ${describeRequests(unassigned)}`];
}

export function countKinds(kinds: readonly string[]): readonly (readonly [string, number])[] {
  const all = [...groupBy(kinds, (kind) => kind)].map(([kind, same]) => [kind, same.length] as const);
  const others = all.slice(maxKinds).reduce((sum, [, times]) => sum + times, 0);
  return others === 0 ? all : [...all.slice(0, maxKinds), ['others', others]];
}
