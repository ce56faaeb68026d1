/** The tools that change a project. */
import { z } from 'zod';
import { toQuery } from '../client/client.ts';
import { sleep } from '../lib/timers.ts';
import type { components } from '../openapi/control.gen.ts';
import { showCallback } from './explain.ts';
import {
  type Ask,
  defineTool,
  maxRows,
  number,
  object,
  type Page,
  rows,
  type Tool,
  ToolError,
  text,
  texts,
  toPath,
} from './tool.ts';

type Schemas = components['schemas'];

const project = z.string().min(1);

export const setUpProject: Tool = defineTool(
  {
    name: 'set_up_project',
    about:
      'reset deletes all data of a project (needs confirm: true); fork copies it to `to`, as it was after a change; callback sets the URL of its callbacks (none: keep them in the inbox).',
    writes: true,
    input: {
      project,
      action: z.enum(['reset', 'fork', 'callback']),
      url: z.string().optional(),
      to: z.string().optional(),
      atChange: z.int().optional(),
      confirm: z.boolean().optional(),
    },
    output: { state: object },
  },
  async ({ ask }, { project, action, url, to, atChange, confirm }) => {
    if (action === 'reset' && confirm !== true)
      throw new ToolError('/confirm: a reset deletes records, requests and callbacks; expected true');
    if (action === 'fork' && to === undefined) throw new ToolError('/to: expected the id of the copy, which is new');
    if (action === 'callback' && url === undefined)
      throw new ToolError('/url: expected the URL of the receiver, or none');
    const endpoint = '/callback-endpoint';
    const calls: Readonly<Record<typeof action, Parameters<Ask>>> = {
      reset: ['POST', '/reset'],
      fork: ['POST', '/fork', { to, atChange }],
      callback: url === 'none' ? ['DELETE', endpoint] : ['PUT', endpoint, { url }],
    };
    const [method, path, body] = calls[action];
    const at = toPath`/projects/${project}`;
    const answer = await ask(method, at + path, body);
    const isOfServer = method === 'DELETE' && (await ask('GET', at + endpoint))['url'] !== null;
    if (isOfServer) await ask('PATCH', at + endpoint, { disabled: true });
    return { text: `${action}: done.`, data: { state: action === 'fork' ? answer : await ask('GET', at) } };
  },
);

export const useScenario: Tool = defineTool(
  {
    name: 'use_scenario',
    about:
      'check a scenario (name or yaml) for mistakes with their lines; activate it in place of the active ones of the project; clear deactivates all. list_operations has yaml for each failure.',
    writes: true,
    input: {
      project,
      mode: z.enum(['check', 'activate', 'clear']),
      name: z.string().min(1).optional(),
      yaml: z.string().min(1).optional(),
    },
    output: { valid: { type: 'boolean' }, mistakes: rows, warnings: rows, scenarios: texts, rules: rows },
  },
  async ({ ask }, { project, mode, name, yaml }) => {
    const isClear = mode === 'clear';
    checkSources([name, yaml].filter((one) => one !== undefined).length, isClear);
    const found =
      isClear || name === undefined ? undefined : await ask<Schemas['Scenario']>('GET', toPath`/scenarios/${name}`);
    // A failure of the catalog has a name, but is not in the library.
    const own = found?.source === 'catalog' ? found.text : yaml;
    const source = isClear ? undefined : (own ?? found?.text);
    const check =
      source === undefined ? noMistakes : await ask<Schemas['ScenarioCheck']>('POST', '/scenario-checks', source);
    const { valid, errors, warnings } = check;
    const data = { valid, mistakes: errors.slice(0, maxRows), warnings: warnings.slice(0, maxRows) };
    if (mode === 'check' || !valid)
      return { text: `mistakes: ${errors.length}, warnings: ${warnings.length}; nothing is activated.`, data };
    const { parse } = await import('yaml');
    const given = isClear ? [] : [own === undefined ? name : parse(own)];
    const { scenarios, rules } = await ask<Schemas['ActiveScenarios']>('PUT', toPath`/projects/${project}/scenarios`, {
      scenarios: given,
    });
    const text = `active scenarios: ${scenarios.length}, with rules: ${rules.length}.`;
    return { text, data: { ...data, scenarios, rules: rules.slice(0, maxRows) } };
  },
);

function checkSources(count: number, isClear: boolean): void {
  if (isClear && count > 0) throw new ToolError('clear ends all scenarios of the project: leave out name and yaml');
  if (!isClear && count !== 1) throw new ToolError('expected one of name and yaml');
}

const noMistakes: Schemas['ScenarioCheck'] = { valid: true, errors: [], warnings: [] };

export const moveClock: Tool = defineTool(
  {
    name: 'move_clock',
    about:
      'mode frozen stops the clock, real lets it run; then, on a frozen clock, one of by (10m), to (a time) or until (idle) runs everything that becomes due.',
    writes: true,
    input: {
      project,
      mode: z.enum(['real', 'frozen']).optional(),
      by: z.string().optional(),
      to: z.string().optional(),
      until: z.literal('idle').optional(),
    },
    output: { mode: text, now: text, processed: number, delivered: number, pending: number, failedAttempts: number },
  },
  async ({ ask }, { project, mode, ...far }) => {
    const at = toPath`/projects/${project}/clock`;
    const isMoved = Object.values(far).some((value) => value !== undefined);
    if (isMoved && mode === 'real')
      throw new ToolError('/mode: expected frozen with by, to or until: a real clock moves by itself');
    const set = mode === undefined ? {} : await ask('PUT', at, { mode });
    const moved = isMoved ? await ask('POST', `${at}/advance`, far) : await ask('GET', at);
    const { processed = 0, delivered = 0, pending } = moved;
    const { items } = isMoved ? await ask<Page<Schemas['ClockAdvance']>>('GET', `${at}/advances`) : { items: [] };
    const failed = items[0]?.failedAttempts ?? 0;
    const refused = failed === 0 ? '' : `, ${failed} attempts failed`;
    return {
      text: `${processed} processed, ${delivered} delivered${refused}, ${pending} pending.`,
      data: { ...set, ...moved, failedAttempts: failed },
    };
  },
);

/** How long a call waits for the first result of a callback. */
const patience = '5s';

/** How often a call reads a callback again whose copies are under way, and how many milliseconds pass before. */
const maxTries = 20;
const pollMs = 50;

const hasCopies = ({ explanation }: Schemas['Callback']): boolean => (explanation?.copiesLeft ?? 0) > 0;

export const triggerCallback: Tool = defineTool(
  {
    name: 'trigger_callback',
    about:
      'Sends a callback without a request, such as jobs.import.failed; forge breaks its signature, to test a receiver.',
    writes: true,
    input: {
      project,
      type: z.string().min(1),
      failed: z.array(z.strictObject({ id: z.string(), reason: z.string().optional() })).optional(),
      operation: z.string().optional(),
      data: z.record(z.string(), z.unknown()).optional(),
      forge: z.enum(['invalid', 'missing', 'stale']).optional(),
      copies: z.int().optional(),
    },
    output: { callback: object },
  },
  async ({ ask }, { project, ...trigger }) => {
    const at = toPath`/projects/${project}/callbacks`;
    const { id } = await ask<{ id: string }>('POST', at, trigger);
    const query = toQuery({ contains: id, state: 'delivered,failed,inbox,dropped', await: patience, limit: 1 });
    await ask('GET', at + query);
    const read = (): Promise<Schemas['Callback']> => ask('GET', at + toPath`/${id}`);
    let callback = await read();
    for (let tries = 0; tries < maxTries && callback.state === 'delivered' && hasCopies(callback); tries += 1) {
      await sleep(pollMs);
      callback = await read();
    }
    return {
      text: `${callback.state}; attempts: ${callback.attempts.length}.`,
      data: { callback: showCallback(callback) },
    };
  },
);
