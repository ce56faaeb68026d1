/** Tells what came in place of what was waited for: callbacks, requests, mistakes, a clock that stands. */
import type { ControlClient, Query } from './control-client.ts';
import type { Callback, ClockState, JournalRequest } from './types.ts';

/** More kinds of things are not told of. */
const mostKinds = 8;
const longestMessage = 200;

/** `2 callbacks of type jobs.import.failed, delivered`. */
export function toWanted(noun: string, count: number, filter: Query): string {
  const { operation, status, record, type, state, since } = filter;
  const words = [
    type !== undefined && ` of type ${type}`,
    state !== undefined && `, ${state}`,
    operation !== undefined && ` for ${operation}`,
    status !== undefined && ` answered ${status}`,
    record !== undefined && ` that named ${record}`,
    since !== undefined && ` after ${since}`,
  ];
  return `${toCount(count, noun)}${words.filter((word) => word !== false).join('')}`;
}

/** What a project has seen, as it stands; with its callbacks where they were waited for. */
export async function tellWhatCame(client: ControlClient, path: string, withCallbacks: boolean): Promise<string> {
  const [callbacks, requests, clock] = await Promise.all([
    withCallbacks ? client.list<Callback>(`${path}/callbacks`) : [],
    client.list<JournalRequest>(`${path}/requests`, { bodies: false }),
    client.ask<ClockState>('GET', `${path}/clock`),
  ]);
  const came = [
    ...(withCallbacks ? [tellCallbacks(callbacks)] : []),
    await tellRequests(client, requests),
    ...(requests.length === 0 ? await tellStrays(client) : []),
  ];
  const { mode, pending } = clock;
  const stands = `; the clock is frozen with ${pending} pending: clock.advance('idle') lets it happen`;
  return `; came: ${came.join('; ')}${mode === 'frozen' && pending > 0 ? stands : ''}`;
}

/** `came: 1 of type jobs.import.failed, inbox; 2 of type …`. */
function tellCallbacks(callbacks: readonly Callback[]): string {
  if (callbacks.length === 0) return 'no callback';
  const kinds = countKinds(callbacks.map(({ type, state }) => `of type ${type}, ${state}`));
  return kinds.map(([kind, count]) => `${count} ${kind}`).join('; ');
}

/** `3 requests: asyncImportJobs 202 × 2, asyncImportJobs 400 "expected …"`. */
async function tellRequests(client: ControlClient, requests: readonly JournalRequest[]): Promise<string> {
  if (requests.length === 0) return 'no request';
  const firsts = new Map(requests.map((request) => [toKind(request), request] as const).toReversed());
  const told = countKinds(requests.map(toKind)).map(async ([kind, count]) => {
    const times = count > 1 ? ` × ${count}` : '';
    return `${kind}${times}${await quoteMessage(client, firsts.get(kind))}`;
  });
  return `${toCount(requests.length, 'request')}: ${(await Promise.all(told)).join(', ')}`;
}

function toKind({ operation, method, path, status }: JournalRequest): string {
  return `${operation ?? `${method} ${path}`} ${status}`;
}

/** What a refusal said. Bodies are asked for one by one: all of them may be more than a process can hold. */
async function quoteMessage(client: ControlClient, request: JournalRequest | undefined): Promise<string> {
  if (!request || request.status < 400) return '';
  const { response } = await client.ask<JournalRequest>('GET', `/requests/${encodeURIComponent(request.id)}`);
  const message = messageOf(response.body);
  return message === undefined ? '' : ` "${message}"`;
}

/** Requests that belong to no project: with a wrong path or key, nothing comes to this one. */
async function tellStrays(client: ControlClient): Promise<readonly string[]> {
  const all = await client.list<JournalRequest>('/requests', { bodies: false });
  const strays = all.filter(({ project }) => project === null);
  return strays.length === 0 ? [] : [`of no project ${await tellRequests(client, strays)}`];
}

function messageOf(body: string | undefined): string | undefined {
  try {
    const { message } = JSON.parse(body ?? '') as { message?: unknown };
    return typeof message === 'string' ? message.slice(0, longestMessage) : undefined;
  } catch {
    return undefined;
  }
}

function countKinds(kinds: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const all = [...counts];
  const left = all.slice(mostKinds).reduce((sum, [, count]) => sum + count, 0);
  return left === 0 ? all : [...all.slice(0, mostKinds), ['others', left]];
}

/** `1 callback`, `2 callbacks`. */
export function toCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
