/** The load of a soak test: projects that are compared with what was answered, and others that take random requests. */
import { setTimeout as pass } from 'node:timers/promises';
import { act, type Scene } from '../fuzz/actor.ts';
import { createClient, Found } from '../fuzz/client.ts';
import { createDice, type Dice } from '../model/dice.ts';
import { createCallbackLog } from '../rig/callback-log.ts';
import {
  type Client,
  createClockMover,
  createImporter,
  createLateImporter,
  createReader,
  createUpdater,
} from '../rig/clients.ts';
import { compare } from '../rig/compare.ts';
import { createLedger } from '../rig/ledger.ts';
import { type Answer, type Received, startReceiver } from '../rig/receiver.ts';
import { createSender, type Send } from '../rig/send.ts';

/** Projects at a time that are compared, one in four with a frozen clock, and clients that send random requests. */
const comparedCount = 40;
const randomCount = 12;
const stepsOfRandom = 30;
const requestsPerSecond = 250;
/** The life of a compared project as a share of the load, and its maximum. */
const lifeShare = 0.25;
const maxLifeMs = 60_000;
/** How long accepted work may take. */
const maxLateMs = 20_000;
/** A callback that was sent before a reset may still be in this process's buffers. */
const graceMs = 1000;
const maxViolations = 20;

/** What clients of the whole soak test were answered. */
export class Tally {
  /** What must not happen. */
  readonly violations: string[] = [];
  /** Requests to operations, and how many of them got a response. */
  sent = 0;
  answered = 0;
  /** Lives of compared projects: ended after all callbacks, and by a reset in the middle. */
  readonly lives = { compared: 0, cut: 0 };
  callbacks = 0;

  violate(text: string): void {
    if (this.violations.length < maxViolations) this.violations.push(text);
  }

  /** Notes the end of a request. The status is 0 without a response. */
  note(path: string, status: number): void {
    if (path.startsWith('/_sandbox')) return;
    this.sent += 1;
    if (status > 0) this.answered += 1;
  }
}

interface Given {
  readonly url: string;
  readonly tally: Tally;
  readonly seed: number;
  readonly seconds: number;
  isRunning(): boolean;
}

/** What the projects of a load share. */
interface Stage extends Given {
  /** How long requests to compared projects took, in milliseconds. */
  readonly durations: number[];
  readonly startedAt: number;
  /** Where the callbacks of each life arrive. */
  readonly lives: Map<string, (received: Received) => Answer>;
  readonly callbackUrl: string;
  /** Waits for the turn of the next request. */
  pace(): Promise<void>;
  isOver(): boolean;
}

/** Runs the load until the time is over and all projects are compared, and returns how long requests took. */
export async function playLoad(given: Given): Promise<readonly number[]> {
  const { tally, seed, seconds, isRunning } = given;
  const startedAt = performance.now();
  let turnAt = startedAt;
  const lives: Stage['lives'] = new Map();
  const receiver = await startReceiver((received) => {
    tally.callbacks += 1;
    const receive = lives.get(received.path.slice(1));
    if (receive) return receive(received);
    tally.violate(`a callback to ${received.path}`);
    return 204;
  });
  const stage: Stage = {
    ...given,
    ...{ durations: [], startedAt, lives, callbackUrl: receiver.url },
    pace: async () => {
      turnAt = Math.max(turnAt + 1000 / requestsPerSecond, performance.now() - 1000);
      await pass(Math.max(0, turnAt - performance.now()));
    },
    isOver: () => performance.now() > startedAt + seconds * 1000 || !isRunning(),
  };
  await Promise.all([
    playRandom(stage),
    ...Array.from({ length: comparedCount }, (_, place) => liveOn(stage, place, createDice(seed * 100 + place))),
  ]);
  await receiver.close();
  return stage.durations;
}

/** Lets clients of the fuzz test take random steps in projects of their own, which are reset now and then. */
async function playRandom({ url, tally, seed, pace, isOver }: Stage): Promise<void> {
  const client = createClient(url, randomCount);
  const ask: Scene['client']['ask'] = async (asked) => {
    await pace();
    const answer = await client.ask(asked);
    tally.note(asked.path, answer.status);
    return answer;
  };
  const none = { drawn: 0, valid: 0, judged: 0, accepted: 0 };
  const scene: Scene = {
    ...{ url, client: { ...client, ask }, isAlone: false },
    ...{ tally: { scenarios: { ...none }, bodies: { ...none } }, forAll: { isOdd: false, isBroken: false } },
  };
  const play = async (number: number): Promise<void> => {
    for (let round = 0; !isOver(); round += 1) {
      const name = `${number}-${round}`;
      try {
        await act(scene, createDice(seed * 1000 + round * randomCount + number), name, stepsOfRandom);
      } catch (error) {
        tally.violate(error instanceof Found ? error.message : String((error as Error).stack));
      }
      for (const project of [1, 2])
        await client.ask({ method: 'POST', path: `/_sandbox/projects/f-${name}-${project}/reset` });
    }
  };
  await Promise.all(Array.from({ length: randomCount }, (_, number) => play(number)));
  await client.close();
}

/** Lets projects live one after another; at any time there are projects of every age. */
async function liveOn(stage: Stage, place: number, dice: Dice): Promise<void> {
  const lifeMs = Math.min(stage.seconds * 1000 * lifeShare, maxLifeMs);
  let endsAt = stage.startedAt + (lifeMs * (place + 1)) / comparedCount;
  for (let number = 0; !stage.isOver(); number += 1) {
    await live(stage, { project: `soak-${place}-${dice.often(50) ? number : 'again'}`, place, number, endsAt, dice });
    endsAt = performance.now() + lifeMs;
  }
}

interface Life {
  readonly project: string;
  readonly place: number;
  readonly number: number;
  readonly endsAt: number;
  readonly dice: Dice;
}

async function live(stage: Stage, life: Life): Promise<void> {
  const { url, tally, lives, durations, startedAt, pace, isOver, callbackUrl } = stage;
  const { project, place, number, endsAt, dice } = life;
  const [ledger, callbacks] = [createLedger(), createCallbackLog()];
  const key = `${place}-${number}-${startedAt}`;
  let endedAt = Number.POSITIVE_INFINITY;
  lives.set(key, (received) => {
    const lateMs = performance.now() - endedAt;
    if (lateMs > graceMs) tally.violate(`${project}: a callback ${Math.round(lateMs)} ms after the reset`);
    if (!received.body.includes(`"projectId":"${project}"`)) tally.violate(`${project}: got ${received.body}`);
    return lateMs > 0 ? 204 : callbacks.answer(received);
  });
  const sender = createSender(url, ledger);
  const send: Send = async (method, path, body, allowed) => {
    await pace();
    const answer = await sender(method, path, body, allowed);
    tally.note(path, answer.status ?? 0);
    durations.push(answer.endedMs - answer.sentMs);
    if (answer.fate === 'unknown') ledger.violate(`${method} ${path}: ${answer.how}`);
    return answer;
  };
  const control = `/_sandbox/projects/${project}`;
  const site = { project, dice, ledger, callbacks, isShared: false };
  const creators = [createImporter, createLateImporter, createUpdater, createReader];
  const clients: readonly Client[] = (place % 4 === 0 ? [createClockMover] : creators).map((create, kind) =>
    create({ ...site, name: `${place}-${number}-${kind}` }),
  );
  await send('PUT', `${control}/callback-endpoint`, { url: `${callbackUrl}/${key}` });
  for (const client of clients) await client.begin?.(send);
  while (performance.now() < endsAt && !isOver()) await dice.of(clients).step(send);

  if (dice.often(25)) {
    // Their callbacks belong to a life that has ended, or to the inbox of the next.
    const imports = [1, 2, 3].map((one) =>
      send('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: `FAIL-cut-${one}` }] }, { repeatsIds: true }),
    );
    await Promise.all([send('POST', `${control}/reset`), ...imports]);
    endedAt = performance.now();
    tally.lives.cut += 1;
  } else {
    await compare({ clients, ledger, callbacks }, { [project]: url }, maxLateMs);
    await waitUntilIdle(send, control);
    const { unaccepted } = callbacks.check(ledger, []);
    if (unaccepted > 0) ledger.violate(`${unaccepted} rejected callbacks did not come again`);
    tally.lives.compared += 1;
  }
  const { body } = await send('POST', `${control}/reset`);
  const cancelled = JSON.stringify(body?.cancelled);
  if (endedAt === Number.POSITIVE_INFINITY && cancelled !== '{"instructions":0,"callbacks":0}')
    ledger.violate(`a reset at the end cancelled ${cancelled}`);
  endedAt = Math.min(endedAt, performance.now());
  for (const violation of ledger.violations) tally.violate(`${project}: ${violation}`);
}

/** Waits until nothing is pending: a rejected callback is sent again. */
async function waitUntilIdle(send: Send, control: string): Promise<void> {
  const until = performance.now() + maxLateMs;
  while ((await send('GET', `${control}/clock`)).body?.pending !== 0 && performance.now() < until) await pass(100);
}
