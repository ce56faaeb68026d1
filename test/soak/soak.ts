/**
 * `npm run soak`: runs the built program under mixed load for ten minutes, or for the minutes in its argument. `--seed` sets
 * what is drawn, which is random otherwise. docs/contributing/testing.md lists the checks. Ends with `N passed, N failed`, and exits with 1 if a check failed.
 */

import { setTimeout as pass } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { createDice, type Dice } from '../model/dice.ts';
import { headers } from '../model/mistakes.ts';
import { createGreedy } from '../rig/greedy.ts';
import { endOnSignals } from '../rig/process.ts';
import { descriptorsOf } from '../rig/watched.ts';
import { type Bodies, createBodies } from './bodies.ts';
import { createClient, createTally, type Tally } from './client.ts';
import { createFindings, type Findings } from './findings.ts';
import { type Followers, follow } from './followers.ts';
import { type Program, startProgram } from './program.ts';
import { createProjects, type Projects, putDisturbances } from './projects.ts';
import { type Receiver, receiveCallbacks } from './receiver.ts';
import { showProgress, toTable } from './report.ts';
import {
  judgeFindings,
  judgeLag,
  judgeMemory,
  judgeMet,
  judgeProcess,
  judgeRest,
  type Rest,
  type Verdict,
} from './verdict.ts';
import { startWatch, type Watch } from './watch.ts';

const defaultMinutes = 10;
const projectCount = 200;
const connections = 16;
/** Turns a second; a turn is one request, or a few. */
const turnsPerSecond = 200;
/** The share of the time for the warm-up; the life of a project as a share of the rest, and its maximum. */
const warmUpShare = 0.15;
const lifeShare = 0.25;
const maxLifeS = 60;
/** How often the live heap is measured in each third. */
const weighedPerThird = 5;

const write = (text: string): void => void process.stdout.write(`${text}\n`);

/** All that runs beside the program. */
interface Scene {
  readonly program: Program;
  readonly receiver: Receiver;
  readonly findings: Findings;
  readonly dice: Dice;
  readonly bodies: Bodies;
  readonly tally: Tally;
}

/** Runs the load: each connection takes its next turn after the last one ended. Then ends all projects. */
async function play(scene: Scene, seconds: number, onBegin: (projects: Projects) => void): Promise<Projects> {
  const { program, findings, tally } = scene;
  const client = createClient(program.url, connections, findings, tally);
  const lifeMs = Math.min(seconds * lifeShare, maxLifeS) * 1000;
  const projects = createProjects({ ...scene, client, count: projectCount, lifeMs });
  onBegin(projects);
  await putDisturbances({ client });
  const until = performance.now() + seconds * 1000;
  let turnAt = performance.now();
  const work = async (): Promise<void> => {
    while (performance.now() < until && program.isRunning()) {
      turnAt = Math.max(turnAt + 1000 / turnsPerSecond, performance.now() - 1000);
      const wait = turnAt - performance.now();
      if (wait > 0) await pass(wait);
      if (!(await projects.turn())) await pass(10);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  if (program.isRunning()) await projects.endAll();
  await client.close();
  return projects;
}

/** The maximum number of stored stray requests. No reset deletes them, so they are all sent first. */
const maxStrays = 1000;

async function fillStrays({ url }: Program): Promise<void> {
  for (let stray = 0; stray < maxStrays; stray += 1) {
    const { body } = await request(`${url}/nowhere`, { method: 'POST', headers, body: '{}' });
    await body.dump();
  }
}

/** What one project that takes all it can may get: refusals of what is too large, too much or too often are answers. */
const refusals: readonly number[] = [400, 409, 413, 429, 507];

/** Uses one project without a pause of more than a second, so that its load has a bound on any machine, until it is stopped. */
function playGreedy(url: string, findings: Findings): { stop(): Promise<ReadonlyMap<number, number>> } {
  const answers = new Map<number, number>();
  let isStopped = false;
  const { playRound, close } = createGreedy(url, (request, status, text) => {
    answers.set(status, (answers.get(status) ?? 0) + 1);
    if (status === 0 || (status > 299 && !refusals.includes(status)))
      findings.found('hostile', () => `${request}: ${status} ${text.slice(0, 200)}`);
  });
  const play = async (): Promise<void> => {
    // Whole rounds only: what one of its acts makes the program load is there before the first rest.
    while (!isStopped) await playRound(1000);
    await close();
  };
  const playing = play();
  return {
    stop: async () => {
      isStopped = true;
      await playing;
      return answers;
    },
  };
}

/** Resets all projects and measures what is left. */
async function rest({ program }: Scene, watch: Pick<Watch, 'weigh'>): Promise<Rest> {
  await fetch(`${program.url}/_sandbox/reset`, { method: 'POST' });
  await pass(500);
  const metrics = await (await fetch(`${program.url}/_sandbox/metrics`)).text();
  return { liveBytes: await watch.weigh(), descriptors: descriptorsOf(program.pid), metrics };
}

interface Played {
  readonly projects: Projects;
  readonly watch: Watch;
  readonly followers: Pick<Followers, 'count'>;
  /** How often the greedy project got each status. */
  readonly greedy: ReadonlyMap<number, number>;
  readonly rest: Rest;
}

/** Runs one part of a soak test: load with all measurements, and then a rest. */
async function playWatched(scene: Scene, seconds: number, weighEveryS: number): Promise<Played> {
  const { program, receiver, findings, tally } = scene;
  let current: Projects | undefined;
  const watch = await startWatch(program.inspector, weighEveryS);
  const outstanding = (): number => current?.outstanding() ?? 0;
  const stopShowing = showProgress({ tally, receiver, findings, watch, outstanding, write });
  const subscribers = follow(program.url, findings);
  const greedy = playGreedy(program.url, findings);
  const projects = await play(scene, seconds, (begun) => {
    current = begun;
  });
  const answers = await greedy.stop();
  await subscribers.stop();
  await watch.stop();
  stopShowing();
  return { projects, watch, followers: subscribers, greedy: answers, rest: await rest(scene, watch) };
}

async function soak(minutes: number, seed: number): Promise<readonly Verdict[]> {
  const findings = createFindings();
  const receiver = await receiveCallbacks(findings);
  const program = await startProgram();
  const tally = createTally();
  const bodies = await createBodies(String(seed));
  const scene: Scene = { program, receiver, findings, dice: createDice(seed), bodies, tally };
  const warmUpS = minutes * 60 * warmUpShare;
  const loadS = minutes * 60 - warmUpS;
  await fillStrays(program);
  write(`warming up for ${warmUpS.toFixed(0)} s`);
  const first = await playWatched(scene, warmUpS, Number.POSITIVE_INFINITY);
  write(`under load for ${loadS.toFixed(0)} s`);
  const last = await playWatched(scene, loadS, loadS / 3 / weighedPerThird);

  const complaints = program.complaints();
  const code = await program.stop();
  await receiver.close();
  const { ended } = last.projects;
  const refused = [...last.greedy].map(([status, count]) => `${status} × ${count}`).join(', ');
  write(`  ${'the greedy project'.padEnd(32)} ${refused}`);
  for (const line of toTable({ tally, receiver, ended, followers: last.followers })) write(line);
  write('');
  const others = {
    'a rejected callback': receiver.refused(),
    'a dropped callback': ended.dropped,
    'a reset in the middle': ended.cut,
  };
  return [
    ...judgeFindings(findings),
    judgeMet(tally.met, others),
    ...judgeMemory(last.watch, loadS),
    ...judgeRest(first.rest, last.rest),
    judgeLag(last.watch.samples),
    ...judgeProcess(complaints, code),
  ];
}

function refuse(mistake: string): void {
  process.stderr.write(`${mistake}\n`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } });
  const given = positionals[0] ?? String(defaultMinutes);
  const minutes = Number(given);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  if (!(minutes >= 0.5 && minutes <= 24 * 60))
    return refuse(`minutes: expected a number from 0.5 to 1440, got "${given}"`);
  if (!Number.isSafeInteger(seed)) return refuse(`--seed: expected a whole number, got "${values.seed}"`);
  endOnSignals();
  write(`soak: seed ${seed}, for ${minutes} minutes`);
  const verdicts = await soak(minutes, seed);
  for (const { name, passed, detail } of verdicts)
    write(`  ${passed ? '✓' : '✗'} ${name}${detail ? `: ${detail}` : ''}`);
  const failed = verdicts.filter(({ passed }) => !passed).length;
  write(`\nsoak: ${verdicts.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

await main();
