/** A client that takes as much of one project as it is given, in every way that has a limit. */
import { connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Greedy {
  /** Plays every act once, and rests after each. */
  playRound(restMs: number): Promise<void>;
  close(): Promise<void>;
}

const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' } as const;
const project = 'greedy';
const connections = 64;

/** What one act takes at most. */
const entries = 1000;
const awaiters = 60;
const rules = 60;
const idleFollowers = 30;
const burst = 150;

const toJobs = (count: number, more: object = {}): string =>
  JSON.stringify({ jobs: Array.from({ length: count }, (_, number) => ({ id: `FAIL-${number}`, ...more })) });
const large = toJobs(entries, { secondaryReference: 'x'.repeat(150) });
const many = (count: number, act: (number: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, number) => act(number)));

/** `hear` is told what each request got: a status, or 0 and why there is none. */
export function createGreedy(url: string, hear: (request: string, status: number, text: string) => void): Greedy {
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 30_000 });

  async function ask(method: 'GET' | 'PUT' | 'POST', path: string, body?: string): Promise<string> {
    const request = `${method} ${path}`;
    try {
      const answer = await pool.request({ method, path, headers, body: body ?? null });
      const text = await answer.body.text();
      hear(request, answer.statusCode, text);
      return text;
    } catch (error) {
      hear(request, 0, String(error));
      return '';
    }
  }

  const control = (path: string): string => `/_sandbox/projects/${project}${path}`;
  const accept = (count: number) => ask('POST', `/async/projects/${project}/jobs`, toJobs(count));
  const list = () => ask('GET', control('/requests?limit=1000'));
  // What it holds is let go soon, or it would weigh in what is alive at the moments at which that is weighed.
  const reset = () => ask('POST', control('/reset'));
  const acts: readonly (() => Promise<unknown>)[] = [
    async () => {
      await ask('POST', `/sync/projects/${project}/jobs/batch`, large.replaceAll('FAIL-', 'G-'));
      await ask('PUT', control('/snapshot'), await ask('GET', control('/snapshot')));
      await reset();
    },
    () => many(awaiters, () => ask('GET', control('/requests?await=1s&min=1000&operation=registerUser'))),
    () => ask('PUT', control('/scenarios'), toScenarios()),
    async () => {
      await ask('PUT', control('/clock'), '{"mode":"frozen"}');
      await many(burst, () => accept(1));
      await accept(100);
      await list();
      await ask('POST', control('/clock/advance'), '{"until":"idle"}');
      await reset();
    },
    () => ask('POST', `/async/projects/${project}/jobs`, '['.repeat(1_000_000)),
    () => followWithoutReading(url, () => many(burst, () => accept(1))),
    reset,
  ];

  return {
    playRound: async (restMs) => {
      for (const act of acts) {
        await act();
        await pass(restMs);
      }
    },
    close: () => pool.close(),
  };
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
