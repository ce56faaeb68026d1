/** Random stories against a model of the rules: after each step the answer, what is stored and what was told are the same. */
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { createDice } from './draws.ts';
import { drawStep } from './requests.ts';
import { advance, anyText, createState, type Fields, type State, toSnapshot } from './rules.ts';

const begin = '2026-03-02T09:30:00.000Z';
const profile = join(mkdtempSync(join(tmpdir(), 'field-sandbox-model-')), 'profile.yaml');
writeFileSync(profile, 'duplicates: replace\n');

const settings = [
  { duplicates: 'rejected', stories: 300, sandbox: useSandbox({ clock: begin, magicIds: 'false' }) },
  { duplicates: 'replaced', stories: 60, sandbox: useSandbox({ clock: begin, magicIds: 'false', profile }) },
];
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

interface Answer {
  readonly status: number;
  readonly id: string;
  readonly body: unknown;
}

/** Many thousands of requests: over one connection, and without a client library. */
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

/** What came, with the model's words where it leaves them open; made tracking ids are remembered, and stay the same. */
function toModelWords(expected: unknown, came: unknown, tracking: Map<string, string>): unknown {
  if (expected === anyText) return typeof came === 'string' && came !== '' ? anyText : came;
  if (typeof expected === 'string' && expected.startsWith('generated ')) {
    if (typeof came !== 'string' || !/^TRK-\w+$/.test(came)) return came;
    if (!tracking.has(expected)) tracking.set(expected, came);
    return tracking.get(expected) === came ? expected : came;
  }
  if (typeof came !== 'object' || came === null || typeof expected !== 'object' || expected === null) return came;
  if (Array.isArray(came))
    return came.map((item, index) => toModelWords((expected as unknown[])[index], item, tracking));
  return Object.fromEntries(
    Object.entries(came).map(([name, inner]) => [name, toModelWords((expected as Fields)[name], inner, tracking)]),
  );
}

async function play(
  number: number,
  { sandbox, duplicates }: (typeof settings)[number],
  met: Map<string, number>,
): Promise<void> {
  const ask = (method: string, path: string, body?: unknown) => askAt(sandbox.url(), method, path, body);
  const dice = createDice(number);
  const project = freshProject();
  const state: State = createState(Date.parse(begin), duplicates === 'replaced');
  const tracking = new Map<string, string>();
  const story: string[] = [];
  const control = `/_sandbox/projects/${project}`;

  const same = (what: string, expected: unknown, came: unknown): void => {
    try {
      deepStrictEqual(toModelWords(expected, came, tracking), expected);
    } catch (error) {
      throw new Error(`story ${number}, ${what}: ${(error as Error).message}\n${story.join('\n')}`);
    }
  };

  async function pass(): Promise<void> {
    const ms = dice.of([0, 1, 50, 199, 200, 500]);
    story.push(`advance by ${ms} ms`);
    await ask('POST', `${control}/clock/advance`, { by: `${ms}ms` });
    advance(state, state.now + ms);
    const { body } = await ask('GET', `${control}/callbacks?limit=1000`);
    same(
      'callbacks',
      state.told,
      (body as { items: Fields[] }).items.map((item) => item['body']),
    );
  }

  async function step(): Promise<void> {
    const { method, path, body, expect: foresee } = drawStep(dice, project);
    story.push(`${method} ${path} ${JSON.stringify(body).slice(0, 2000)}`);
    const { status, id, body: came } = await ask(method, path, body);
    const expected = foresee(state, id);
    met.set(`${method} ${status}`, (met.get(`${method} ${status}`) ?? 0) + 1);
    same('status', expected.status, status);
    // What is wrong with a request is told at length; the model says only that it is.
    const { errors: _told, ...said } = came as Fields;
    same('answer', expected.body, said);
  }

  for (let place = 0; place < 40; place += 1) {
    await (dice.often(25) ? pass() : step());
    same('what is stored', toSnapshot(state), (await ask('GET', `${control}/snapshot`)).body);
  }
}

test.each(settings)(
  '$stories stories of 40 steps, duplicates are $duplicates',
  { timeout: 120_000 },
  async (setting) => {
    const met = new Map<string, number>();
    for (let number = 1; number <= setting.stories; number += 1) await play(number, setting, met);
    // They are no use unless they meet with all kinds of answers.
    const kinds = ['POST 200', 'POST 201', 'POST 202', 'POST 400', 'PATCH 200', 'PATCH 202', 'PATCH 400', 'PATCH 404'];
    for (const kind of kinds) expect(met.get(kind) ?? 0, kind).toBeGreaterThan(20);
    expect((met.get('POST 409') ?? 0) > 20).toBe(setting.duplicates === 'rejected');
  },
);
