/**
 * `npm run bench`: the sandbox against the floor (bare express that answers without looking), each in its own process,
 * measured in pairs of the same payload, as ratios. The sandbox does all its work: key, validation, scenarios with
 * magic ids, records, journal, log.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { load, type Payload, type Result } from './load.ts';
import { createPayloads } from './payloads.ts';

const rounds = Number(process.argv[2] ?? 5);
const only = process.argv[3];

interface Server {
  readonly url: string;
  readonly startMs: number;
  readonly process: ChildProcess;
}

/** As `npm start` has them. */
const startFlags = ['--max-semi-space-size=64'];

function start(file: string, args: readonly string[] = [], flags: readonly string[] = []): Promise<Server> {
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.stdout.once('data', (line: Buffer) => {
      const { url } = JSON.parse(String(line).split('\n')[0] ?? '') as { url: string };
      child.stdout.resume();
      resolve({ url, startMs: performance.now() - started, process: child });
    });
  });
}

const startSandbox = (): Promise<Server> => start('dist/main.js', ['--port', '0', '--json'], startFlags);
const startFloor = (): Promise<Server> => start('dist/bench/floor.js');

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Floor and sandbox in turn, on fresh worlds each round; the first round only warms up. */
async function compare(payload: Payload): Promise<void> {
  const floor = await startFloor();
  const sandbox = await startSandbox();
  const ratios: number[] = [];
  const tails: number[] = [];
  let last: readonly [Result, Result] | undefined;
  for (let round = 0; round <= rounds; round += 1) {
    const from = round * payload.requests;
    const base = await load(floor.url, payload, from);
    const own = await load(sandbox.url, payload, from);
    await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' });
    if (round === 0) continue;
    ratios.push(own.perSecond / base.perSecond);
    tails.push(own.p99Ms / base.p99Ms);
    last = [base, own];
  }
  floor.process.kill();
  sandbox.process.kill();
  const [base, own] = last ?? [];
  print(
    payload.name,
    median(ratios).toFixed(2),
    median(tails).toFixed(2),
    base?.perSecond.toFixed(0),
    own?.perSecond.toFixed(0),
  );
}

async function compareStart(): Promise<void> {
  const times = { floor: [] as number[], sandbox: [] as number[] };
  for (let round = 0; round < rounds * 2; round += 1) {
    for (const [name, run] of [
      ['floor', startFloor],
      ['sandbox', startSandbox],
    ] as const) {
      const server = await run();
      times[name].push(server.startMs);
      server.process.kill();
    }
  }
  const [floor, sandbox] = [median(times.floor), median(times.sandbox)];
  print('start to ready', (sandbox / floor).toFixed(2), '', `${floor.toFixed(0)} ms`, `${sandbox.toFixed(0)} ms`);
}

function print(...cells: readonly (string | undefined)[]): void {
  process.stdout.write(`| ${cells.map((cell, index) => (cell ?? '').padEnd(index === 0 ? 28 : 14)).join(' | ')} |\n`);
}

print('payload', 'ratio', 'p99 ratio', 'floor/s', 'sandbox/s');
print(...Array.from({ length: 5 }, () => '---'));
if (!only) await compareStart();
for (const payload of await createPayloads()) if (!only || payload.name.includes(only)) await compare(payload);
