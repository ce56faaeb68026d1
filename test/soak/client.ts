/** Sends steps over so many connections, and holds each answer to what was foreseen. */
import { Pool } from 'undici';
import type { Findings } from './findings.ts';
import type { Life } from './life.ts';
import type { Step } from './step.ts';
import { pass } from './wait.ts';

/** How long one who is left without an answer waits for it, each time. */
const patienceMs = 300;
/** An answer that takes longer never comes. */
const maxMs = 30_000;

export interface Client {
  /** Sends a step to a project; notes what is not as foreseen, and what is to be told of it. */
  send(life: Life, step: Step): Promise<void>;
  /** Asks the control API. What is not answered as wanted is noted; then it is undefined. */
  control<T>(method: string, path: string, body?: object, wanted?: number): Promise<T | undefined>;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** What was sent in a whole soak. */
export interface Tally {
  sent: number;
  /** How many were sent to the API, and how many of them were to be taken whole. */
  toApi: number;
  flawless: number;
  /** How many of each kind were answered as foreseen, by kind and status. */
  readonly met: Map<string, number>;
}

export const createTally = (): Tally => ({ sent: 0, toApi: 0, flawless: 0, met: new Map() });

type Sent = Pick<Step, 'method' | 'path' | 'headers' | 'body'>;

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

export function createClient(url: string, connections: number, findings: Findings, tally: Tally): Client {
  const limits = { pipelining: 1, headersTimeout: maxMs, bodyTimeout: maxMs };
  const pool = new Pool(url, { ...limits, connections });
  /** For those who look whether they are left without an answer: all other connections may be taken by such. */
  const aside = new Pool(url, { ...limits, connections: 1 });

  async function ask(step: Sent, through = pool, signal: AbortSignal | null = null): Promise<Answer> {
    tally.sent += 1;
    const { method, path, headers, body } = step;
    const answer = await through.request({ method: method as 'POST', path, headers, body: body ?? null, signal });
    const text = await answer.body.text();
    return { status: answer.statusCode, requestId: String(answer.headers['x-request-id']), text };
  }

  /** Asks where no answer will come, and leaves when the request is there: until then it may wait here for a connection. */
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

  /** What is to be told is booked before anybody else can send to the project. */
  function book(life: Life, { foreseen, took }: Step, requestId: string): void {
    for (const ids of foreseen.told) {
      const times = life.turns.loses() ? 0 : life.story.copies;
      life.ledger.expect({ requestId, ids, times });
    }
    took();
  }

  async function send(life: Life, step: Step): Promise<void> {
    const { kind, foreseen, fault } = step;
    tally.toApi += 1;
    if (isFlawless(foreseen)) tally.flawless += 1;
    const asking = fault === 'hang' ? askInVain(life, step) : ask(step);
    const answer = await asking.catch((error: Error) => error);
    const words = (what: string): void =>
      findings.found('answers', () => `${life.key} (${life.story.name}) ${step.method} ${step.path}: ${what}`);
    if (answer instanceof Error) {
      if (!fault || (fault === 'hang' && answer.name !== 'AbortError'))
        words(`wanted ${foreseen.status}, got ${answer.message}`);
      count(kind, undefined);
      book(life, step, '');
      return;
    }
    const mistake = differs(foreseen, answer);
    if (mistake) words(mistake);
    else count(kind, answer.status);
    book(life, step, answer.requestId);
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
    findings.found('answers', () => `${method} ${step.path}: wanted ${wanted}, got ${got}`);
    return undefined;
  }

  return { send, control, close: async () => void (await Promise.all([pool.close(), aside.close()])) };
}

function isFlawless({ status = 0, failed = [] }: Step['foreseen']): boolean {
  return status >= 200 && status <= 299 && failed.length === 0;
}

/** How an answer is other than foreseen; undefined where it is not. */
function differs({ status, failed, taken }: Step['foreseen'], answer: Answer): string | undefined {
  const got = `${answer.status} ${answer.text.slice(0, 300)}`;
  if (answer.status !== status) return `wanted ${status ?? 'a broken connection'}, got ${got}`;
  if (failed === undefined) return undefined;
  const body = readJson(answer.text) as Readonly<Record<string, unknown>>;
  const listed = ((body['failed'] ?? []) as { readonly id: string }[]).map(({ id }) => id).join();
  if (listed !== failed.join()) return `wanted these as failed: ${failed.join()}; got ${got}`;
  const count = body['jobsReceived'] ?? body['ordersReceived'];
  return count === taken ? undefined : `wanted ${taken} to be taken, got ${count}: ${got}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
