/** The tool `explain`: why a request, a callback or a record is as it is, or why an id never became a record. */
import { z } from 'zod';
import { toQuery } from '../client/client.ts';
import type { Json } from '../lib/json.ts';
import type { components } from '../openapi/control.gen.ts';
import { type Ask, defineTool, maxRows, type Page, rows, type Tool, ToolError, text, toPath } from './tool.ts';

type Schemas = components['schemas'];
type Problem = Schemas['RequestProblem'];
type Callback = Schemas['Callback'];

/** Maximum number of requests and callbacks about one id. */
const maxEvents = 5;

export const explain: Tool = defineTool(
  {
    name: 'explain',
    about:
      'Why: mistakes with place and suggestion, failed entries, rules, timeline, attempts, next steps. id: a request (req_…), a callback (msg_…), a record, or an id that never became a record.',
    writes: false,
    input: { project: z.string().min(1), id: z.string().min(1) },
    output: { kind: text, requests: rows, callbacks: rows, records: rows, timeline: rows, nextSteps: rows, next: text },
  },
  async ({ ask }, { project, id }) => {
    const at = toPath`/projects/${project}`;
    const latest = { order: 'newest', limit: maxEvents };
    const query = toQuery({ ...latest, limit: maxRows });
    const entity = await ask<Schemas['Entity']>('GET', `${at}${toPath`/entities/${id}`}${query}`);
    const { records, items: timeline, next } = entity;
    // Clients may give such ids to their records, too.
    const event = records.length + timeline.length === 0 ? eventKinds[id.slice(0, 4)] : undefined;
    const filter = { [event?.filter ?? 'entity']: id, ...latest };
    const { items: callbacks } = await ask<Page<Callback>>('GET', `${at}/callbacks${toQuery(filter)}`);
    const { items: requests } = await findFirst(
      event ? [{ entity: id }] : [{ entity: id }, ...withoutOperation(id)],
      (filter) => ask<Page<Problem>>('GET', `${at}/requests${toQuery({ view: 'problems', ...latest, ...filter })}`),
    );
    const detailed = await Promise.all(
      callbacks.map((one) => ask<Callback>('GET', `${at}${toPath`/callbacks/${one.id}`}`)),
    );
    if (event && requests.length + callbacks.length === 0)
      throw new ToolError(`/id: this project has no event ${JSON.stringify(id)}; find_events lists its events`);
    const exists = records.some((record) => record.isPresent);
    const kind = event?.kind ?? (exists ? 'record' : 'missing');
    const nextSteps = [
      ...requests.flatMap((problem) => stepsAfter(problem, timeline, event ? undefined : id)),
      ...callbacks.flatMap((callback) => stepsAfterCallback(callback, project)),
      ...(timeline.some((one) => one.kind === 'pending') ? [moveClock(project)] : []),
      ...(event || timeline.length > 0 ? [] : await findSimilar(ask, project, id)),
    ];
    return {
      text: `${kind}; requests: ${requests.length}, callbacks: ${callbacks.length}, next steps: ${nextSteps.length}.`,
      data: { kind, requests, callbacks: detailed.map(showCallback), records, timeline, nextSteps, next },
    };
  },
);

/** Filters for requests that no operation took: their paths may contain the id, and their bodies are not read. */
const withoutOperation = (id: string) => [{ contains: id }, { operation: 'none' }];

async function findFirst<Filter>(filters: readonly Filter[], find: (filter: Filter) => Promise<Page<Problem>>) {
  let found: Page<Problem> = { items: [] };
  for (const filter of filters) if (found.items.length === 0) found = await find(filter);
  return found;
}

/** Events by the beginning of their ids, with the filter for their callbacks. */
const eventKinds: Readonly<Record<string, { readonly kind: string; readonly filter: string }>> = {
  req_: { kind: 'request', filter: 'requestId' },
  msg_: { kind: 'callback', filter: 'contains' },
};

/** Shows the last attempts of a callback, and the first entries: it may have a thousand. */
export function showCallback({ attempts, ...callback }: Callback): Json {
  const shown = attempts.slice(-maxRows).map(({ sent: _, ...attempt }) => attempt);
  const cut = (_key: string, value: unknown) => (Array.isArray(value) ? value.slice(0, maxRows) : value);
  return JSON.parse(JSON.stringify({ ...callback, attempts: shown }, cut));
}

const moveClock = (project: string): Json => ({
  why: 'work is pending: on a frozen clock it runs when the clock moves',
  tool: 'move_clock',
  input: { project, until: 'idle' },
});

/** A step, if it applies. */
const stepIf = (applies: boolean, why: string, call: Json = {}): readonly Json[] => (applies ? [{ why, ...call }] : []);

/** `id`: the entry that is asked about, with its timeline; undefined for the whole request. */
function stepsAfter(problem: Problem, timeline: Schemas['Entity']['items'], id?: string): readonly Json[] {
  const { operation, status, errors, failed, reported, rules } = problem;
  const schema = { tool: 'list_operations', input: { operation, include: ['schema'] } };
  // The lists of a request have its first entries only.
  const has = (kind: string): boolean => timeline.some((one) => one.kind === kind && one.requestId === problem.id);
  const names = (entries: Problem['failed'], kind: string): boolean =>
    id === undefined ? entries.length > 0 : entries.some((entry) => entry.id === id) || has(kind);
  const isRejected = status === 0 || status >= 400;
  const [isRefused, isReported] = [names(failed, 'rejected'), names(reported, 'failed')];
  const isAffected = id === undefined || isRejected || isRefused || isReported;
  return [
    ...stepIf(operation === null, 'no operation has this method and path', { tool: 'list_operations', input: {} }),
    ...stepIf(operation !== null && errors.length > 0, 'mend the body at the paths of `errors`', schema),
    ...stepIf(!isRejected && isRefused, unreadFailed),
    ...stepIf(isReported, 'entries failed after the response: only a callback reports that to the client'),
    ...stepIf(isAffected && rules.length > 0, 'a scenario or a magic id caused this on purpose: `rules` names it', {
      tool: 'search_docs',
      input: { query: 'what a robust client does' },
    }),
  ];
}

const unreadFailed =
  'the response lists entries in `failed` despite its 2xx: these records do not exist, and the client must read that list';

/** Statuses with which receivers reject a signature. */
const refusals: readonly unknown[] = [400, 401, 403];

function stepsAfterCallback({ state, attempts }: Callback, project: string): readonly Json[] {
  const last = attempts.at(-1);
  const endpoint = { tool: 'set_up_project', input: { project, action: 'callback', url: 'URL of the receiver' } };
  return [
    ...stepIf(refusals.includes(last?.status), 'the receiver rejects it, as with a wrong signature: check it with', {
      command: 'field-sandbox verify-receiver URL',
    }),
    ...stepIf(last?.error !== undefined, 'the receiver could not be reached, or was too slow'),
    ...(state === 'scheduled' ? [moveClock(project)] : []),
    ...stepIf(
      state === 'inbox',
      'it was stored, because the project had no callback URL then: later ones need one',
      endpoint,
    ),
  ];
}

/** Suggests ids that begin like one that no request has. */
async function findSimilar(ask: Ask, project: string, id: string): Promise<readonly Json[]> {
  const q = id.slice(0, Math.max(3, Math.ceil(id.length / 2)));
  const { items } = await ask<{ items: readonly Json[] }>('GET', `/search${toQuery({ q, project, limit: maxEvents })}`);
  const sent = {
    why: 'no request names this id: see what was sent',
    tool: 'find_events',
    input: { kind: 'requests', project },
  };
  const similar = items.filter(({ kind }) => kind === 'record' || kind === 'entity');
  return similar.length === 0 ? [sent] : [sent, { why: 'these ids begin alike', input: { similar } }];
}
