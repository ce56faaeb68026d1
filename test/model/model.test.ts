/** Random stories against a model of the rules: after each step the response, the records and the callbacks are the same. */
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { amountOf, isFull } from '../harness/amounts.ts';
import { freshProject, type TestSandbox, useSandbox } from '../harness/sandbox.ts';
import { createTestWall } from '../harness/wall.ts';
import { createDice } from './dice.ts';
import { drawStep } from './draws.ts';
import type { Fields } from './fields.ts';
import { advance, anyText, createState, magicFault, type State, toSnapshot } from './rules.ts';

const begin = '2026-03-02T09:30:00.000Z';
const profile = join(mkdtempSync(join(tmpdir(), 'field-sandbox-model-')), 'profile.yaml');
writeFileSync(profile, 'duplicates: replace\n');

const rate = 20;
const wall = createTestWall(Date.parse(begin));

interface Setting {
  readonly duplicates: 'rejected' | 'replaced';
  readonly clock: string;
  readonly stories: number;
  readonly faultOf: typeof magicFault | (() => undefined);
  readonly sandbox: TestSandbox;
  /** Moves a clock that is not frozen. */
  pass?(ms: number): void;
}

const settings: readonly Setting[] = [
  {
    duplicates: 'rejected',
    clock: 'frozen',
    stories: amountOf('stories'),
    faultOf: magicFault,
    sandbox: useSandbox({ clock: begin }),
  },
  {
    duplicates: 'replaced',
    clock: 'frozen',
    stories: amountOf('replacingStories'),
    faultOf: () => undefined,
    sandbox: useSandbox({ clock: begin, magicIds: 'false', profile }),
  },
  {
    duplicates: 'rejected',
    clock: `${rate}x`,
    stories: amountOf('replacingStories'),
    faultOf: magicFault,
    sandbox: useSandbox({ clock: `${rate}x` }, shippedProfile, wall),
    pass: (ms) => wall.pass(ms / rate),
  },
];
// Shorter than servers keep connections, so that none is closed in the moment of its next use.
const agent = new Agent({ keepAlive: true, timeout: 2_000 });
afterAll(() => agent.destroy());

interface Answer {
  readonly status: number;
  readonly id: string;
  readonly body: unknown;
}

/** Sends over one connection and without a client library, because there are many thousands of requests. */
function askAt(url: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { apikey: 'sandbox-key', ...(body !== undefined && { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url + path, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      const id = String(response.headers['x-request-id']);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, id, body: JSON.parse(text) }));
    });
    outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Replaces generated texts by the model's placeholders. Generated tracking ids are remembered and must stay the same. */
function toPlaceholders(expected: unknown, actual: unknown, tracking: Map<string, string>): unknown {
  if (typeof expected === 'string') return toPlaceholder(expected, actual, tracking);
  if (!isContainer(expected) || !isContainer(actual)) return actual;
  if (Array.isArray(actual))
    return actual.map((item, index) => toPlaceholders((expected as unknown as unknown[])[index], item, tracking));
  return Object.fromEntries(
    Object.entries(actual).map(([name, inner]) => [name, toPlaceholders(expected[name], inner, tracking)]),
  );
}

function toPlaceholder(expected: string, actual: unknown, tracking: Map<string, string>): unknown {
  if (typeof actual !== 'string') return actual;
  if (expected === anyText) return actual === '' ? actual : anyText;
  if (!expected.startsWith('generated ') || !/^TRK-\w+$/.test(actual)) return actual;
  if (!tracking.has(expected)) tracking.set(expected, actual);
  return tracking.get(expected) === actual ? expected : actual;
}

const isContainer = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

async function play(
  number: number,
  { sandbox, duplicates, faultOf, pass }: Setting,
  statuses: Map<string, number>,
): Promise<void> {
  const ask = (method: string, path: string, body?: unknown) => askAt(sandbox.url(), method, path, body);
  const dice = createDice(number);
  const project = freshProject();
  const state: State = createState(pass ? wall.now() : Date.parse(begin), duplicates === 'replaced', faultOf);
  const tracking = new Map<string, string>();
  const story: string[] = [];
  const control = `/_sandbox/projects/${project}`;

  const same = (what: string, expected: unknown, actual: unknown): void => {
    try {
      deepStrictEqual(toPlaceholders(expected, actual, tracking), expected);
    } catch (error) {
      throw new Error(`story ${number}, ${what}: ${(error as Error).message}\n${story.join('\n')}`);
    }
  };

  async function advanceClock(): Promise<void> {
    const ms = dice.of(pass ? [0, 20, 60, 180, 200, 500] : [0, 1, 50, 199, 200, 500]);
    story.push(`advance by ${ms} ms`);
    if (pass) pass(ms);
    else await ask('POST', `${control}/clock/advance`, { by: `${ms}ms` });
    advance(state, state.now + ms);
    const { body } = await ask('GET', `${control}/callbacks?limit=1000`);
    same(
      'callbacks',
      state.callbacks,
      (body as { items: Fields[] }).items.map((item) => item['body']),
    );
  }

  async function step(): Promise<void> {
    const { method, path, body, expect: toExpected } = drawStep(dice, project);
    story.push(`${method} ${path} ${JSON.stringify(body).slice(0, 2000)}`);
    const { status, id, body: actual } = await ask(method, path, body);
    const expected = toExpected(state, id);
    statuses.set(`${method} ${status}`, (statuses.get(`${method} ${status}`) ?? 0) + 1);
    same('status', expected.status, status);
    // The model does not state the list of mistakes of a rejected request.
    const { errors: _mistakes, ...rest } = actual as Fields;
    same('response', expected.body, rest);
  }

  // A clock runs from the creation of its project on.
  if (pass) await ask('PUT', `${control}/clock`, { mode: 'real' });
  for (let count = 0; count < 40; count += 1) {
    await (dice.often(25) ? advanceClock() : step());
    same('snapshot', toSnapshot(state), (await ask('GET', `${control}/snapshot`)).body);
  }
}

test.each(settings)(
  '$stories random stories of 40 requests match the model when duplicates are $duplicates, on the clock $clock',
  { timeout: 120_000 },
  async (setting) => {
    const statuses = new Map<string, number>();
    for (let number = 1; number <= setting.stories; number += 1) await play(number, setting, statuses);
    if (!isFull) return;
    // All stories together must contain every kind of response.
    const kinds = ['POST 200', 'POST 201', 'POST 202', 'POST 400', 'PATCH 200', 'PATCH 202', 'PATCH 400', 'PATCH 404'];
    for (const kind of kinds) expect(statuses.get(kind) ?? 0, kind).toBeGreaterThan(setting.stories / 10);
    expect(statuses.get('POST 409') ?? 0).toBeGreaterThan(0);
  },
);
