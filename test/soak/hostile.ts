/** One hostile project among the others: takes as much as it is given, all the time, and must disturb nobody. */
import { connect, type Socket } from 'node:net';
import { Pool } from 'undici';
import { headers } from '../model/mistakes.ts';
import type { Findings } from './findings.ts';
import { pass } from './wait.ts';

export interface Hostile {
  /** How many requests were answered, by status. */
  readonly answers: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

const project = 'hostile';
const connections = 64;

/** Refusals are answers: of what is too large, too much or too often. */
const refusals: readonly number[] = [400, 409, 413, 429, 507];

/** What one turn takes at most. */
const entries = 3000;
const awaiters = 100;
const rules = 60;
const idleFollowers = 20;
const burst = 150;

/** Between two acts, so that its load has a bound on any machine. */
const restMs = 1000;

/** Plays one act after another until it is stopped. */
export function startHostile(url: string, findings: Findings): Hostile {
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 30_000 });
  const answers = new Map<number, number>();
  let isStopped = false;

  async function ask(method: 'GET' | 'PUT' | 'POST', path: string, body?: string): Promise<string> {
    try {
      const answer = await pool.request({ method, path, headers, body: body ?? null });
      const { statusCode: status } = answer;
      answers.set(status, (answers.get(status) ?? 0) + 1);
      const text = await answer.body.text();
      if (status > 299 && !refusals.includes(status))
        findings.found('hostile', () => `${method} ${path}: ${status} ${text.slice(0, 200)}`);
      return text;
    } catch (error) {
      findings.found('hostile', () => `${method} ${path}: ${String(error)}`);
      return '';
    }
  }

  const control = (path: string): string => `/_sandbox/projects/${project}${path}`;
  const many = (count: number, act: (number: number) => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, (_, number) => act(number)));
  const one = '{"jobs":[{"id":"FAIL-1"}]}';
  const post = (): Promise<string> => ask('POST', `/async/projects/${project}/jobs`, one);

  // What it holds is let go soon, or it would weigh in what is alive at the moments at which that is weighed.
  const reset = (): Promise<string> => ask('POST', control('/reset'));
  const acts: readonly (() => Promise<unknown>)[] = [
    async () => {
      await ask('POST', `/sync/projects/${project}/jobs/batch`, toJobs());
      await ask('PUT', control('/snapshot'), await ask('GET', control('/snapshot')));
      await reset();
    },
    () => many(awaiters, (number) => ask('GET', control(`/requests?await=1s&min=${100_000 + number}&limit=1`))),
    () => ask('PUT', control('/scenarios'), toScenarios()),
    async () => {
      await ask('PUT', control('/clock'), '{"mode":"frozen"}');
      await many(burst, post);
      await ask('GET', control('/requests?limit=1000'));
      await ask('POST', control('/clock/advance'), '{"until":"idle"}');
      await reset();
    },
    () => ask('POST', `/async/projects/${project}/jobs`, '['.repeat(1_000_000)),
    () => followWithoutReading(url, () => many(burst, post)),
    reset,
  ];

  async function play(): Promise<void> {
    // Whole rounds only: what one of its acts makes the program load is there before the first rest.
    for (let turn = 0; !isStopped || turn % acts.length > 0; turn += 1) {
      await (acts[turn % acts.length] as () => Promise<unknown>)();
      await pass(restMs);
    }
    await pool.close();
  }

  const playing = play();
  return {
    answers,
    stop: async () => {
      isStopped = true;
      await playing;
    },
  };
}

function toJobs(): string {
  return JSON.stringify({ jobs: Array.from({ length: entries }, (_, number) => ({ id: `H-${number}` })) });
}

function toScenarios(): string {
  const then = { latency: '1ms', callback: { copies: 3 } };
  const list = Array.from({ length: rules }, (_, number) => ({ when: { where: { [`a.b${number}`]: 'x*y' } }, then }));
  return JSON.stringify({ scenarios: [{ name: 'many-rules', rules: list }] });
}

/** Followers of the events who read nothing of what comes meanwhile. */
async function followWithoutReading(url: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const sockets = Array.from({ length: idleFollowers }, (): Socket => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    // The server may disconnect who does not read.
    socket.on('error', () => undefined);
    socket.write(`GET /_sandbox/events?project=${project} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    return socket;
  });
  await meanwhile();
  for (const socket of sockets) socket.destroy();
}
