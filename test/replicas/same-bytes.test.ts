/**
 * Random histories of a project have the same bytes in three replicas as in one server: answers, callbacks, all views.
 * Their recordings replay identically, and have no secrets.
 */
import { Agent, type ClientRequest, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createHash } from '../../src/lib/random.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { type RunningSandbox, startSandbox } from '../../src/server.ts';
import { replay } from '../flows/replay-steps.ts';
import { amountOf } from '../harness/amounts.ts';
import { useReceiver } from '../harness/receiver.ts';
import { freshProject } from '../harness/sandbox.ts';
import { noNotices, readOptions } from '../harness/start-sandbox.ts';
import { api } from '../openapi/requests.ts';
import { type Ask, history, type Step, secrets } from './history.ts';
import { startReplicated } from './start-replicated.ts';

const instant = '2026-03-02T09:30:00Z';
// Headers of callbacks have the server's time, and the journal the durations of requests.
const wall = { ...createWallClock(), now: () => Date.parse(instant), elapsed: () => 0 };
const receiver = useReceiver();
// Shorter than servers keep connections, so that none is closed in the moment of its next use.
const agent = new Agent({ keepAlive: true, timeout: 2_000 });
let servers: readonly RunningSandbox[] = [];

beforeAll(async () => {
  const options = readOptions({ clock: instant, apiKeys: ['sandbox-key', secrets.apiKey] });
  const one = await startSandbox(options, noNotices, wall);
  servers = [one, await startReplicated(inject('flows'), options, noNotices, wall)];
});
afterAll(async () => {
  agent.destroy();
  await Promise.all(servers.map((server) => server.close()));
});

interface Answer {
  readonly status: number | undefined;
  /** Names as they were sent, without those that differ between any two answers. */
  readonly headers: readonly string[];
  readonly body: string;
  /** How the connection broke. */
  readonly error?: string | undefined;
}

type LabelledAnswer = readonly [request: string, Answer];

const varying = new Set(['date', 'connection', 'keep-alive']);

function toHeaderLines(raw: readonly string[]): readonly string[] {
  return raw.flatMap((name, at) =>
    at % 2 === 1 || varying.has(name.toLowerCase()) ? [] : [`${name}: ${raw[at + 1]}`],
  );
}

/** Sends a request; `write` sends its body. */
function send(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  write: (outgoing: ClientRequest) => void,
): Promise<Answer> {
  return new Promise((resolve) => {
    const outgoing = request(url + path, { method, agent, headers: { host: 'localhost', ...headers } });
    outgoing.once('error', (error) =>
      resolve({ status: undefined, headers: [], body: '', error: (error as NodeJS.ErrnoException).code }),
    );
    outgoing.once('response', async (response) => {
      const status = response.statusCode;
      const head = { status, headers: toHeaderLines(response.rawHeaders) };
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ ...head, body: Buffer.concat(chunks).toString('latin1') });
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        resolve({ ...head, body: Buffer.concat(chunks).toString('latin1'), error: code });
      }
      // The rest of a body that was refused early is not sent.
      if (!outgoing.writableEnded) outgoing.destroy();
    });
    write(outgoing);
  });
}

function sendAsk(url: string, project: string, { operationId, jobId, username, sent, headers }: Ask): Promise<Answer> {
  const operation = api.operations.get(operationId);
  const params: Record<string, string> = { projectId: project, subProjectId: 'north', jobId, orderId: jobId, username };
  const path = (operation?.path ?? '').replace(/\{(.+?)\}/g, (_all, name) => encodeURIComponent(params[name] ?? ''));
  const { as, text } = sent;
  const bytes = as === 'bytes' ? Buffer.concat([Buffer.from(text), Buffer.from([0xff])]) : Buffer.from(text);
  const all = {
    apikey: 'sandbox-key',
    'content-type': as === 'type' ? 'text/plain' : 'application/json',
    ...(as === 'encoding' && { 'content-encoding': 'compress' }),
    ...headers,
    'content-length': String(as === 'large' ? 20_000_000 : bytes.length),
  };
  return send(url, operation?.method ?? '', path, all, (outgoing) =>
    as === 'large' ? outgoing.write(bytes) : outgoing.end(bytes),
  );
}

/** Views of a project in the control API. */
const views = [
  ...['', '/clock', '/pending', '/snapshot', '/recording', '/scenarios', '/expectations', '/coverage'],
  ...['/requests?limit=1000', '/requests.har', '/callbacks?limit=1000', '/callback-endpoint', '/jobs', '/orders'],
  ...['/routes', '/users', '/locations'],
];

/** Lets a history happen. Returns all answers and all callbacks. */
async function live(url: string, project: string, steps: readonly Step[]) {
  const answers: LabelledAnswer[] = [];
  const before = receiver.received.length;
  let snapshot: string | undefined;

  const control = (method: string, path: string, body?: unknown): Promise<Answer> =>
    controlAll(method, `/projects/${project}${path}`, body);

  async function controlAll(method: string, path: string, body: unknown): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    const answer = await send(url, method, `/_sandbox${path}`, headers, (outgoing) => outgoing.end(text));
    answers.push([`${method} ${path}`, answer]);
    return answer;
  }

  async function askAll(asks: readonly Ask[]): Promise<void> {
    for (const ask of asks) answers.push([ask.operationId, await sendAsk(url, project, ask)]);
  }

  async function redeliver(): Promise<void> {
    const { items } = JSON.parse((await control('GET', '/callbacks')).body);
    if (items[0]) await control('POST', `/callbacks/${items[0].id}/redeliver`);
  }

  async function take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'ask':
        await askAll(step.together);
        return;
      case 'clock': {
        const now = new Date(Date.parse(JSON.parse((await control('GET', '/clock')).body).now) + step.aheadMs);
        await control('PUT', '/clock', { mode: 'frozen', now: now.toISOString() });
        return;
      }
      case 'advance':
        await control('POST', '/clock/advance', step.body);
        return;
      case 'keep':
        snapshot = Buffer.from((await control('GET', '/snapshot')).body, 'latin1').toString();
        return;
      case 'restore':
        if (snapshot !== undefined) await control('PUT', '/snapshot', snapshot);
        return;
      case 'endpoint':
        await control('PUT', '/callback-endpoint', {
          url: `${receiver.url()}/${step.query}`,
          secret: secrets.callbackSecret,
          disabled: step.disabled,
        });
        return;
      case 'forget-endpoint':
        await control('DELETE', '/callback-endpoint');
        return;
      case 'redeliver':
        await redeliver();
        return;
      case 'scenarios':
        await control('PUT', '/scenarios', { scenarios: [{ name: 'own', rules: step.rules }] });
        return;
      case 'record':
        await control('GET', '/recording');
        return;
      case 'reset':
        await control('POST', '/reset');
        return;
      case 'library':
        await controlAll('PUT', '/scenarios/of-history', { name: 'of-history', rules: step.rules });
        return;
      case 'server-scenarios':
        await controlAll('PUT', '/server-scenarios', {
          scenarios: [{ name: 'for-all', rules: step.rules }],
        });
        return;
      default:
        step satisfies never;
    }
  }

  for (const step of steps) {
    await take(step);
    // What is due now happens before the next step; how much of it was under way already differs.
    await control('POST', '/clock/advance', { by: '0ms' });
    answers.pop();
  }
  await control('POST', '/clock/advance', { until: 'idle' });
  for (const view of views) await control('GET', view);
  const callbacks = receiver.received.slice(before).map(({ method, path, headers, body }) => {
    const { connection: _, ...rest } = headers;
    return JSON.stringify([method, path, rest, body]);
  });
  // Callbacks that are due at the same time are sent together.
  return { answers, callbacks: callbacks.toSorted() };
}

const chance = createHash('receiver');

/** Lets the receiver answer the same to each attempt, in whatever order they arrive. */
function answerByAttempt(): void {
  const attempts = new Map<string, number>();
  receiver.handle(({ headers }) => {
    const id = String(headers['webhook-id']);
    const attempt = attempts.get(id) ?? 0;
    attempts.set(id, attempt + 1);
    const drawn = chance.fraction(`${id}:${attempt}`);
    if (drawn < 0.3) return 503;
    return drawn < 0.4 ? 410 : 204;
  });
}

/** Compares answers, first as values, whose differences are easier to read. */
function expectSame(actual: LabelledAnswer | undefined, expected: LabelledAnswer): void {
  expect([actual?.[0], toValue(actual?.[1].body)]).toEqual([expected[0], toValue(expected[1].body)]);
  expect(actual).toEqual(expected);
}

function toValue(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Checks that a recording has no secret, and replays to the same responses and callbacks. */
async function checkRecording(text: string): Promise<void> {
  for (const secret of Object.values(secrets)) expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
  const recording = JSON.parse(Buffer.from(text, 'latin1').toString());
  expect(recording.complete).toBe(true);
  expect((await replay(recording)).differences).toEqual([]);
}

const count = amountOf('histories');

test(`${count} random histories`, { timeout: 300_000 }, async () => {
  let requests = 0;
  let callbacks = 0;
  const endpoint: Step = { kind: 'endpoint', disabled: false, query: '' };
  const property = fc.asyncProperty(history, async (steps) => {
    const project = freshProject();
    const results: Awaited<ReturnType<typeof live>>[] = [];
    for (const { url } of servers) {
      answerByAttempt();
      results.push(await live(url, project, [endpoint, ...steps]));
    }
    const [one, three] = results;
    expect(one?.answers.length).toBe(three?.answers.length);
    for (const [index, answer] of (one?.answers ?? []).entries()) expectSame(three?.answers[index], answer);
    expect(three?.callbacks).toEqual(one?.callbacks);
    await checkRecording(one?.answers.findLast(([label]) => label.endsWith('/recording'))?.[1].body ?? '');
    requests += one?.answers.length ?? 0;
    callbacks += one?.callbacks.length ?? 0;
  });
  await fc.assert(property, { numRuns: count, seed: 20_260_302, endOnFailure: true });
  // The histories prove something only if enough happened in them.
  expect(requests).toBeGreaterThan(count * 20);
  expect(callbacks).toBeGreaterThan(count);
});
