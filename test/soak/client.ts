/** Sends steps over a number of connections, and compares each response with the expected one. */
import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Findings } from './findings.ts';
import type { Life } from './life.ts';
import type { Listed, Step } from './step.ts';

/** How often a client that gets no response checks whether its request arrived. */
const patienceMs = 300;
/** The maximum time for a response. */
const maxMs = 30_000;

export interface Client {
  /** Sends a step to a project. Reports an unexpected response; enters the expected callbacks in the ledger. */
  send(life: Life, step: Step): Promise<void>;
  /** Sends a request to the control API. Reports an unexpected status and returns undefined. */
  control<T>(method: string, path: string, body?: object, wanted?: number): Promise<T | undefined>;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** What was sent in a whole soak. */
export interface Tally {
  sent: number;
  /** How many got the expected response, by kind and status. */
  readonly met: Map<string, number>;
}

export const createTally = (): Tally => ({ sent: 0, met: new Map() });

type Sent = Pick<Step, 'method' | 'path' | 'headers' | 'body'>;

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

export function createClient(url: string, connections: number, findings: Findings, tally: Tally): Client {
  const limits = { pipelining: 1, headersTimeout: maxMs, bodyTimeout: maxMs };
  const pool = new Pool(url, { ...limits, connections });
  /** For checks of requests without a response, because such requests may use all other connections. */
  const aside = new Pool(url, { ...limits, connections: 1 });

  async function ask(step: Sent, through = pool, signal: AbortSignal | null = null): Promise<Answer> {
    tally.sent += 1;
    const { method, path, headers, body } = step;
    const answer = await through.request({ method: method as 'POST', path, headers, body: body ?? null, signal });
    const text = await answer.body.text();
    return { status: answer.statusCode, requestId: String(answer.headers['x-request-id']), text };
  }

  /** Sends a request that gets no response, and disconnects when it has arrived: before, it may wait here for a connection. */
  function askInVain({ project }: Life, step: Sent): Promise<Answer> {
    const leaving = new AbortController();
    const look = { method: 'GET', path: `/_sandbox/projects/${project}/requests?limit=1000&bodies=false`, headers: {} };
    let isOver = false;
    const leave = async (): Promise<void> => {
      while (!isOver) {
        await pass(patienceMs);
        const { items } = readJson((await ask(look, aside)).text) as { items?: readonly { fault: string | null }[] };
        if (items?.at(-1)?.fault === 'hang') leaving.abort();
      }
    };
    const answer = ask(step, pool, leaving.signal).finally(() => {
      isOver = true;
    });
    leave().catch((error: Error) => leaving.abort(error));
    return answer;
  }

  function count(kind: string, status: number | undefined): void {
    const key = `${kind} ${status ?? 'broken'}`;
    tally.met.set(key, (tally.met.get(key) ?? 0) + 1);
  }

  /** Enters the expected callbacks before another request can be sent to the project. */
  function enter(life: Life, { expected, onApplied }: Step, requestId: string): void {
    const times = expected.areDropped ? 0 : life.story.copies;
    for (const ids of expected.callbacks) life.ledger.expect({ requestId, ids, times });
    onApplied();
  }

  async function send(life: Life, step: Step): Promise<void> {
    const { kind, expected, fault } = step;
    const asking = fault === 'hang' ? askInVain(life, step) : ask(step);
    const answer = await asking.catch((error: Error) => error);
    const words = (what: string): void =>
      findings.found('answers', () => `${life.key} (${life.story.name}) ${step.method} ${step.path}: ${what}`);
    if (answer instanceof Error) {
      if (!fault || (fault === 'hang' && answer.name !== 'AbortError'))
        words(`expected ${expected.status}, got ${answer.message}`);
      count(kind, undefined);
      enter(life, step, '');
      return;
    }
    const mistake = differs(expected, answer);
    if (mistake) words(mistake);
    else count(kind, answer.status);
    enter(life, step, answer.requestId);
  }

  async function control<T>(method: string, path: string, body?: object, wanted = 200): Promise<T | undefined> {
    const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
    const step = { method, path: `/_sandbox${path}`, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await ask(step).catch((error: Error) => error);
    const isAsWanted = !(answer instanceof Error) && answer.status === wanted;
    if (isAsWanted) {
      count('control', wanted);
      return (answer.text === '' ? {} : readJson(answer.text)) as T;
    }
    const got = answer instanceof Error ? answer.message : `${answer.status} ${answer.text.slice(0, 200)}`;
    findings.found('answers', () => `${method} ${step.path}: expected ${wanted}, got ${got}`);
    return undefined;
  }

  return { send, control, close: async () => void (await Promise.all([pool.close(), aside.close()])) };
}

/** Returns the difference between a response and the expected one, if there is one. */
function differs({ status, failed, accepted }: Step['expected'], answer: Answer): string | undefined {
  const got = `${answer.status} ${answer.text.slice(0, 300)}`;
  if (answer.status !== status) return `expected ${status ?? 'a broken connection'}, got ${got}`;
  if (failed === undefined) return undefined;
  const body = readJson(answer.text) as Listed;
  const rejected = (body.failed ?? []).map(({ id }) => id).join();
  if (rejected !== failed.join()) return `expected these failures: ${failed.join()}; got ${got}`;
  const ids = (body.jobs ?? body.orders ?? []).map(({ orderNumber }) => orderNumber);
  const count = body.jobsReceived ?? body.ordersReceived;
  if (count === accepted?.length && ids.join() === accepted?.join()) return undefined;
  return `expected these ${accepted?.length} accepted entries: ${accepted?.join()}; got ${count}: ${got}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
