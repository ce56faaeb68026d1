/**
 * `npm run soak`: runs the built program under mixed load for ten minutes, or for the minutes in its argument. `--seed` sets
 * what is drawn, which is random otherwise. docs/contributing/testing.md lists the checks. Ends with `N passed, N failed`, and exits with 1 if a check failed.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pass } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createGreedy } from '../rig/greedy.ts';
import { endOnSignals, type Running, startProcess } from '../rig/process.ts';
import { descriptorsOf, threadsOf } from '../rig/watched.ts';
import { connectInspector, type Inspector } from './inspector.ts';
import { playLoad, Tally } from './load.ts';
import { startSubscribers } from './subscribers.ts';
import { judgeMemory, judgeProcess, judgeRest, judgeTally, judgeTimes, type Rest, type Verdict } from './verdict.ts';
import { startWatch, toMb, type Watch } from './watch.ts';

const defaultMinutes = 10;
/** The share of the time for the warm-up. */
const warmUpShare = 0.15;
/** How often the live heap is measured in each third. */
const weighedPerThird = 5;
const progressMs = 5000;

const write = (text: string): void => void process.stdout.write(`${text}\n`);

interface Program extends Running {
  readonly url: string;
  readonly inspector: Inspector;
}

/** Starts the built program as `npm start` does, with an inspector, on a free port. */
async function startProgram(): Promise<Program> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  const [, ...command] = scripts.start.split(' ');
  const options = ['--host', '127.0.0.1', '--port', '0', '--json'];
  const running = startProcess([process.execPath, '--inspect=127.0.0.1:0', ...command, ...options], { kept: 100_000 });
  const url = await running.ready;
  const inspectorUrl = await running.waitFor(({ err }) => /^Debugger listening on (ws:\S+)\n/m.exec(err)?.[1]);
  return { ...running, url, inspector: await connectInspector(inspectorUrl) };
}

/** The maximum number of stored stray requests. No reset deletes them, so they are all sent first. */
const maxStrays = 1000;

async function fillStrays(url: string): Promise<void> {
  for (let stray = 0; stray < maxStrays; stray += 1)
    await (await fetch(`${url}/nowhere`, { method: 'POST', body: '{}' })).text();
}

/** What one project that takes all it can may get: refusals of what is too large, too much or too often are answers. */
const refusals: readonly number[] = [400, 409, 413, 429, 507];

/** Uses one project without a pause of more than a second, so that its load has a bound on any machine, until it is stopped. */
function playGreedy(url: string, tally: Tally): { stop(): Promise<void> } {
  let isStopped = false;
  const { playRound, close } = createGreedy(url, (request, status, text) => {
    tally.note(request.split(' ')[1] ?? '', status);
    if (status === 0 || (status > 299 && !refusals.includes(status)))
      tally.violate(`the greedy project: ${request}: ${status} ${text.slice(0, 200)}`);
  });
  const play = async (): Promise<void> => {
    // Whole rounds only: what one of its acts makes the program load is there before the first rest.
    while (!isStopped) await playRound(1000);
    await close();
  };
  const playing = play();
  return {
    stop: () => {
      isStopped = true;
      return playing;
    },
  };
}

/** Resets all projects and measures what is left. */
async function rest({ url, pid }: Program, watch: Watch): Promise<Rest> {
  await fetch(`${url}/_sandbox/reset`, { method: 'POST' });
  await pass(500);
  const metrics = await (await fetch(`${url}/_sandbox/metrics`)).text();
  return { liveBytes: await watch.weigh(), descriptors: descriptorsOf(pid), threads: threadsOf(pid), metrics };
}

/** Prints the progress every few seconds. Returns a function that stops it. */
function showProgress(tally: Tally, { samples, live }: Watch): () => void {
  const startedAt = performance.now();
  let before = tally.sent;
  const timer = setInterval(() => {
    const perSecond = ((tally.sent - before) / progressMs) * 1000;
    before = tally.sent;
    const { rss = 0, lagMost = 0 } = samples.at(-1) ?? {};
    const alive = live.length > 0 ? `, ${toMb(live.at(-1)?.bytes ?? 0)} alive` : '';
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    write(
      `${seconds} s: ${perSecond.toFixed(0)}/s, ${before} sent, ${toMb(rss)} resident${alive}, lag ${lagMost.toFixed(0)} ms, ${tally.violations.length} faults`,
    );
  }, progressMs);
  return () => clearInterval(timer);
}

interface Played {
  readonly watch: Watch;
  /** How long requests to compared projects took, in milliseconds. */
  readonly durations: readonly number[];
  readonly rest: Rest;
}

/** Runs one part of a soak test: load with all measurements, and then a rest. */
async function playWatched(
  program: Program,
  load: { readonly tally: Tally; readonly seed: number; readonly seconds: number },
  weighEveryS: number,
): Promise<Played> {
  const { url, isRunning } = program;
  const { tally } = load;
  const watch = await startWatch(program.inspector, tally, weighEveryS);
  const stopShowing = showProgress(tally, watch);
  const subscribers = startSubscribers(url, (text) => tally.violate(text));
  const greedy = playGreedy(url, tally);
  const durations = await playLoad({ ...load, url, isRunning });
  await greedy.stop();
  await subscribers.stop();
  await watch.stop();
  stopShowing();
  return { watch, durations, rest: await rest(program, watch) };
}

async function soak(minutes: number, seed: number): Promise<readonly Verdict[]> {
  const program = await startProgram();
  const tally = new Tally();
  const warmUpS = minutes * 60 * warmUpShare;
  const loadS = minutes * 60 - warmUpS;
  await fillStrays(program.url);
  write(`warming up for ${warmUpS.toFixed(0)} s`);
  const first = await playWatched(program, { tally, seed, seconds: warmUpS }, Number.POSITIVE_INFINITY);
  write(`under load for ${loadS.toFixed(0)} s`);
  const last = await playWatched(program, { tally, seed: seed + 1, seconds: loadS }, loadS / 3 / weighedPerThird);
  program.inspector.close();
  const code = await program.stop();
  return [
    ...judgeTally(tally, last.rest),
    ...judgeMemory(last.watch, loadS),
    ...judgeTimes(last.watch.samples, last.durations, loadS),
    ...judgeRest(first.rest, last.rest),
    ...judgeProcess(program.err(), code),
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
