/** The tools that only read. Sentences are the sandbox's own; what clients sent is in the data fields. */
import { z } from 'zod';
import { toQuery } from '../client/client.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Json } from '../lib/json.ts';
import { didYouMean } from '../lib/nearest.ts';
import { type ApiDocument, bodySchema, resolve } from '../openapi/api-document.ts';
import { createContract } from '../openapi/contract.ts';
import type { components } from '../openapi/control.gen.ts';
import type { OperationId } from '../operations/index.ts';
import type { Page, Tool } from './tool.ts';
import { defineTool, maxRows, number, object, rows, ToolError, text, texts, toPath } from './tool.ts';

type Schemas = components['schemas'];
type Pending = Schemas['PendingPage']['items'][number];
type CallbackRow = Schemas['CallbackRow'];

const project = z.string().min(1);

export const sandboxStatus: Tool = defineTool(
  {
    name: 'sandbox_status',
    about: 'Start here: URL, access and projects; with a project its clock, scenarios, and what is due next and why.',
    writes: false,
    input: { project: project.optional() },
    output: {
      ...{ url: text, access: object, projects: rows, clock: object, pending: number },
      ...{ scenarios: texts, due: rows, rules: rows, next: text },
    },
  },
  async ({ ask, url }, { project }) => {
    const at = toPath`/projects/${project ?? ''}`;
    const [access, { version, profile }] = await Promise.all([
      ask('GET', '/session'),
      ask<{ version: string; profile: { basePath: string } }>('GET', '/settings'),
    ]);
    const data = { url, version, basePath: profile.basePath, access };
    if (project === undefined) {
      const { items, next } = await ask<Page<Schemas['ProjectSummary']>>('GET', `/projects?limit=${maxRows}`);
      const projects = items.map(({ usage: _, limits: __, ...shown }) => shown);
      return { text: `projects: ${items.length}${next ? ' and more' : ''}.`, data: { ...data, projects, next } };
    }
    const [state, pending, { items: scheduled }, { rules }] = await Promise.all([
      ask<Schemas['ProjectSummary']>('GET', at),
      ask<Page<Pending>>('GET', `${at}/pending?limit=${maxRows}`),
      ask<Page<CallbackRow>>('GET', `${at}/callbacks?view=rows&state=scheduled&limit=1000`),
      ask<Schemas['ActiveScenarios']>('GET', `${at}/scenarios`),
    ]);
    const callbacks = new Map(scheduled.map((callback) => [callback.id, callback]));
    const due = pending.items.map((one) => ({ ...one, ...explainDue(one, callbacks.get(one.callbackId ?? '')) }));
    const { clock, scenarios } = state;
    const { mode, pending: left } = clock;
    const waits = left > 0 && mode === 'frozen' ? ' Nothing happens until move_clock.' : '';
    const more =
      rules.length > maxRows ? ` First ${maxRows} of ${rules.length} rules: GET /_sandbox${at}/scenarios has all.` : '';
    const isUsed = scenarios.length + Object.values(state.counts).reduce((sum, count) => sum + count, 0) > 0;
    const unused = isUsed ? '' : ' No request has used this project: leave project out for a list of those in use.';
    return {
      text: `${mode} clock, ${left} pending.${waits}${more}${unused}`,
      data: {
        ...{ ...data, projects: [state], clock, pending: left, scenarios },
        ...{ due, rules: rules.slice(0, maxRows), next: pending.next },
      },
    };
  },
);

/** Says why work is due. */
function explainDue({ kind, operation, entries, isRetry }: Pending, callback: CallbackRow | undefined): Json {
  if (kind === 'instruction') return { reason: `${operation} was accepted: its ${entries} entries are processed then` };
  if (kind === 'release') return { reason: 'callbacks that a scenario gathers are sent together then' };
  const cause = isRetry ? ': the receiver did not accept the one before' : '';
  // It is not among the callbacks that were read.
  if (!callback) return { reason: `${isRetry ? 'another' : 'the first'} attempt of a callback${cause}` };
  const { type, attemptCount, attempts, ids } = callback;
  return { reason: `attempt ${attemptCount + 1} of ${type}${cause}`, ids, last: attempts.at(-1) };
}

const part = z.enum(['sample', 'schema', 'failures']);

export const listOperations: Tool = defineTool(
  {
    name: 'list_operations',
    about: 'Operations of the API; one operation with a valid sample request, its body schema, and its ways to fail.',
    writes: false,
    input: {
      query: z.string().optional(),
      operation: z.string().optional(),
      include: z.union([part, z.array(part)]).optional(),
      next: z.string().optional(),
    },
    output: { rows, operation: text, sample: object, schema: object, failures: rows, next: text },
  },
  async ({ ask }, { query = '', operation, include = ['sample', 'failures'], next }) => {
    const parts = [include].flat();
    const [{ items }, document] = await Promise.all([
      ask<Schemas['Catalog']>('GET', '/catalog'),
      ask<ApiDocument>('GET', '/openapi.json'),
    ]);
    const contract = createContract(document);
    const from = Number(next ?? 0);
    if (!(from > 0 && from % maxRows === 0) && next !== undefined)
      throw new ToolError('/next: expected the value of `next` from another page of this list');
    const all = items.map(({ failures: _, identifiers: __, ...row }) => ({
      ...row,
      summary: contract.operations.get(row.operation)?.source.summary,
    }));
    if (operation === undefined) {
      const words = query.toLowerCase().split(/\s+/);
      const found = all.filter((row) => {
        const line = Object.values(row).join(' ').toLowerCase();
        return words.every((word) => line.includes(word));
      });
      return { text: `operations: ${found.length}.`, data: pageOf('rows', found, from) };
    }
    const names = all.map((one) => one.operation as string);
    const row = all[names.indexOf(operation)];
    if (!row) throw new ToolError(`/operation: there is no "${operation}"${didYouMean(operation, names)}`);
    const failures = items[names.indexOf(operation)]?.failures ?? [];
    const source = contract.operations.get(operation)?.source as unknown as Json;
    const { createSampleRequest } = await import('../samples/fit.ts');
    const sample = await createSampleRequest(contract, operation as OperationId);
    const headers = { apikey: '$SANDBOX_API_KEY', 'content-type': 'application/json', ...sample?.headers };
    return {
      text: `${row.method} ${row.path}, ${row.mode}, ${failures.length} ways to fail.`,
      data: {
        ...row,
        ...(parts.includes('sample') && { sample: { ...sample, headers } }),
        ...(parts.includes('schema') && { schema: inline(document, bodySchema(source) ?? {}) }),
        ...(parts.includes('failures') && pageOf('failures', failures, from)),
      },
    };
  },
);

/** Returns the rows of a list from one on, and the number at which it goes on. */
function pageOf(name: string, all: readonly unknown[], from: number): Json {
  const next = from + maxRows;
  return { [name]: all.slice(from, next), ...(all.length > next && { next: String(next) }) };
}

/** Levels of a schema that are shown. */
const maxLevels = 12;

/** Puts the referenced schemas of a body in their places, and leaves out their examples. */
function inline(document: ApiDocument, value: unknown, level = 0): unknown {
  if (typeof value !== 'object' || value === null || level === maxLevels) return value;
  if (Array.isArray(value)) return value.map((one) => inline(document, one, level + 1));
  const { examples: _, example: __, ...whole } = resolve(document, value as Json);
  return Object.fromEntries(Object.entries(whole).map(([name, inner]) => [name, inline(document, inner, level + 1)]));
}

export const searchDocs: Tool = defineTool(
  {
    name: 'search_docs',
    about:
      'Passages of the documentation: scenarios, callbacks, signatures, retries, clocks, robust clients, commands.',
    writes: false,
    input: { query: z.string().min(1).max(200) },
    output: { passages: rows },
  },
  async ({ ask }, { query }) => {
    const { items } = await ask<Schemas['DocsPassages']>('GET', `/docs${toQuery({ query, limit: 6 })}`);
    return { text: `passages: ${items.length}; GET /_sandbox/docs/PAGE is a whole page.`, data: { passages: items } };
  },
);

/** Longest wait of one call, in milliseconds. */
const maxWaitMs = 40_000;

export const findEvents: Tool = defineTool(
  {
    name: 'find_events',
    about:
      'Requests or callbacks, newest first. outcome of requests: accepted, rejected, failed, pending, warned, faulted; of callbacks: scheduled, delivered, failed, inbox, dropped. since: an event id (then oldest first) or a duration (10m). await waits for a match, at most 40s.',
    writes: false,
    input: {
      kind: z.enum(['requests', 'callbacks']),
      project,
      operation: z.string().optional(),
      status: z.union([z.string(), z.number()]).describe('404, 4xx, 0').optional(),
      outcome: z.string().optional(),
      id: z.string().describe('record that it names').optional(),
      since: z.string().optional(),
      await: z.string().describe('5s').optional(),
      next: z.string().optional(),
    },
    output: { rows, counts: object, satisfied: { type: 'boolean' }, next: text },
  },
  async ({ ask }, { kind, project, operation, status, outcome, id, since, await: wait, next }) => {
    const isTooLong = (parseDuration(wait ?? '') ?? 0) > maxWaitMs;
    if (kind === 'callbacks' && status !== undefined)
      throw new ToolError('/status: expected it with kind requests only; for callbacks, use outcome, such as failed');
    const isSpan = since !== undefined && parseDuration(since) !== undefined;
    const query = toQuery({
      ...{ view: 'rows', counts: true, limit: maxRows, operation, status, entity: id, cursor: next },
      await: isTooLong ? `${maxWaitMs}ms` : wait,
      ...(kind === 'requests' ? { outcome } : { state: outcome }),
      ...(isSpan ? { within: since } : { since }),
      order: since === undefined || isSpan ? 'newest' : 'oldest',
    });
    const { items, ...page } = await ask<Page & { counts: { total: number } }>(
      'GET',
      `${toPath`/projects/${project}/`}${kind}${query}`,
    );
    return { text: `${kind}: ${items.length} of ${page.counts.total}.`, data: { rows: items, ...page } };
  },
);
