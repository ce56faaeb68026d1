/** What is done to a project at one turn: requests, one by one or at once, looks into it, time that passes. */
import type { Dice } from '../model/dice.ts';
import { drawMistake } from '../model/mistakes.ts';
import type { Bodies } from './bodies.ts';
import type { Client } from './client.ts';
import { advanceUntilIdle } from './ending.ts';
import type { Findings } from './findings.ts';
import type { Life } from './life.ts';
import { drawWanted } from './requests.ts';
import { nothing, type Step, toStep } from './step.ts';
import { type Disturbance, disturbances, losing } from './stories.ts';

export interface Parts {
  readonly client: Client;
  readonly findings: Findings;
  readonly dice: Dice;
  readonly bodies: Bodies;
}

/** Does something to a project; nobody else does at that time. */
export async function act(parts: Parts, life: Life): Promise<void> {
  const { dice, client } = parts;
  const kind = dice.below(100);
  if (kind < 7) {
    const { status, ...mistake } = drawMistake(dice, life.project);
    return client.send(life, { ...mistake, expected: { status, callbacks: [] }, onApplied: nothing });
  }
  if (kind < 17) return look(parts, life);
  if (kind < (life.isFrozen ? 32 : 19)) return letTimePass(parts, life);
  if (kind < 40) return burst(parts, life);
  const { isLosing } = life.story;
  const named = dice.often(isLosing ? 80 : 8) ? (isLosing ? losing : dice.of(disturbances)) : undefined;
  return client.send(life, draw(parts, life, named));
}

function draw({ dice, bodies }: Parts, life: Life, disturbance?: Disturbance): Step {
  return toStep(life, drawWanted({ dice, bodies, life }), disturbance);
}

/** Several at once: none of them is to disturb another. */
async function burst(parts: Parts, life: Life): Promise<void> {
  const steps = Array.from({ length: 2 + parts.dice.below(3) }, () => draw(parts, life));
  await Promise.all(steps.map((step) => parts.client.send(life, step)));
}

const views: readonly string[] = [
  '',
  '/jobs',
  '/orders?limit=20',
  '/routes',
  '/users',
  '/locations',
  '/requests?limit=50',
  '/callbacks?limit=50',
  '/pending',
  '/scenarios',
  '/expectations',
  '/coverage',
  '/callback-endpoint',
];

/** Those that give back all that there is. */
const largeViews: readonly string[] = ['/snapshot', '/recording'];

async function look({ dice, client }: Parts, { project, known }: Life): Promise<void> {
  const { stored } = known.jobs;
  const kind = dice.below(100);
  if (kind < 30 && stored.length > 0) {
    await client.control('GET', `/projects/${project}/jobs/${dice.of(stored)}`);
    return;
  }
  if (kind < 60) {
    const path = `/projects/${project}/requests`;
    const page = await client.control<{ items: readonly { id: string }[] }>('GET', `${path}?limit=1`);
    const [latest] = page?.items ?? [];
    if (latest) await client.control('GET', `${path}/${latest.id}`);
    return;
  }
  await client.control('GET', `/projects/${project}${dice.of(kind < 95 ? views : largeViews)}`);
}

/** A frozen clock is advanced, by a little or until nothing is left to come; one that runs is set ahead. */
async function letTimePass(parts: Parts, life: Life): Promise<void> {
  const { dice, client, findings } = parts;
  const path = `/projects/${life.project}/clock`;
  if (!life.isFrozen) {
    const clock = await client.control<{ now: string }>('GET', path);
    if (!clock) return;
    const now = new Date(Date.parse(clock.now) + 3000 + dice.below(5000)).toISOString();
    await client.control('PUT', path, { mode: 'real', now });
    return;
  }
  if (dice.often(30)) return advanceUntilIdle(parts, life);
  const before = await client.control<{ now: string }>('GET', path);
  const by = dice.of([0, 1, 150, 200, 1000, 6000]);
  const after = await client.control<{ now: string }>('POST', `${path}/advance`, { by: `${by}ms` });
  if (!before || !after) return;
  const passed = Date.parse(after.now) - Date.parse(before.now);
  if (passed !== by) findings.found('clock', () => `${life.key}: advanced by ${by} ms, went on by ${passed} ms`);
}
