/** `npm run mutate`: changes the code in one place at a time, and sees which tests fail. docs/contributing/testing.md has more. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createHost } from './host.mjs';
import { drawMutants } from './mutants.mjs';

/** The tests at the public surface, which must do without the others. */
const net = /^test\/(flows|model|simulation|transcripts|readers)\//;
/** Tests of processes of their own, of the console and of the documentation: they do not load the changed code. */
const apart = /^test\/((bench|cli|clients|console|deploy|docs|image|package|samples|soak|sweep)\/|[^/]+$)/;

/** So many changes are judged before the next: a run that is stopped has judged a smaller sample. */
const perBatch = 60;
/** A change is tried alone with the likeliest tests for so long; then with others at once, since few tests notice any. */
const aloneCpuMs = 3000;
const together = 16;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    workers: { type: 'string', default: '2' },
    out: { type: 'string' },
  },
});
const { sample, changes, loading, code } = await drawMutants(positionals, values.seed, Number(values.count));
if (sample.length === 0) throw new Error(`No code to change in ${positionals.join(', ')}`);
console.log(
  `seed ${values.seed}: ${sample.length} of ${changes} changes; ${loading} more happen while modules are loaded`,
);

const hosts = Array.from({ length: Number(values.workers) }, () => createHost(code));
const files = await measureFiles();
for (const mutant of sample) mutant.files = files.filter(({ reached }) => reached.has(mutant.id));
for (let start = 0; start < sample.length; start += perBatch) {
  const batch = sample.slice(start, start + perBatch);
  await judge(batch, ({ name }) => net.test(name));
  await judge(batch, ({ name }) => !net.test(name));
  for (const mutant of batch.filter(({ noticedBy }) => !net.test(noticedBy))) console.log(toText(mutant));
  const judged = sample.slice(0, start + perBatch);
  console.log(['', ...toTable(judged), ''].join('\n'));
  if (values.out) writeFileSync(values.out, `${JSON.stringify({ seed: values.seed, judged: judged.map(toRecord) })}\n`);
}
for (const host of hosts) host.end();

/** Runs each file of tests once without a change: how long it takes, and which changes it would reach. */
async function measureFiles() {
  const { stdout } = spawnSync('npx', ['vitest', 'list', '--filesOnly', '--json'], { encoding: 'utf8' });
  const names = JSON.parse(stdout).map(({ file }) => path.relative('.', file));
  const measured = [];
  const failed = [];
  async function measure(name, host) {
    const began = Date.now();
    const { error, reached, cpuMs } = await host.run({ name, limitMs: 1_800_000 }, []);
    if (error) failed.push({ name, error });
    else measured.push({ name, cpuMs, reached: new Set(reached), limitMs: 90_000 + 5 * (Date.now() - began) });
  }
  await share(
    names.filter((name) => !apart.test(name)),
    measure,
  );
  await share(
    failed.splice(0).map(({ name }) => name),
    measure,
  );
  for (const { name, error } of failed) console.log(`left out, since it fails without a change: ${name}: ${error}`);
  return measured.sort((one, other) => one.cpuMs - other.cpuMs);
}

/** Hands items to the hosts one by one. */
async function share(items, work) {
  const left = items.values();
  await Promise.all(
    hosts.map(async (host) => {
      for (const item of left) await work(item, host);
    }),
  );
}

/** Writes into each change that no test has noticed so far which of these files does. */
async function judge(mutants, isWanted) {
  await share(mutants, tryAlone);
  await share(files.filter(isWanted), async (file, host) => {
    const left = mutants.filter(
      ({ noticedBy, alone, files: reaching }) => !noticedBy && !alone.includes(file) && reaching.includes(file),
    );
    for (const group of toGroups(left)) await findNoticed(file, group, host);
  });

  /** First the files that reach little else. */
  async function tryAlone(mutant, host) {
    mutant.alone = [];
    let cpuMs = 0;
    const toPrice = (file) => file.cpuMs * file.reached.size;
    for (const file of mutant.files.filter(isWanted).sort((one, other) => toPrice(one) - toPrice(other))) {
      cpuMs += file.cpuMs;
      if (mutant.noticedBy || (mutant.alone.length > 0 && cpuMs > aloneCpuMs)) return;
      mutant.alone.push(file);
      await findNoticed(file, [mutant], host);
    }
  }
}

/** No two of a source file: one could hide the other. */
function toGroups(mutants) {
  const groups = [];
  for (const mutant of mutants) {
    const group = groups.find((one) => one.length < together && one.every(({ file }) => file !== mutant.file));
    if (group) group.push(mutant);
    else groups.push([mutant]);
  }
  return groups;
}

/** Where the file fails with all of them, finds those by halves with which it fails alone. */
async function findNoticed(file, mutants, host) {
  const { error, hasEnded } = await host.run(file, mutants);
  if (!error) return;
  if (mutants.length > 1) {
    const half = mutants.length >> 1;
    await findNoticed(file, mutants.slice(0, half), host);
    await findNoticed(file, mutants.slice(half), host);
    return;
  }
  // What an earlier change has left behind in the process could fail the test as well, or chance.
  if (!hasEnded && (await host.run(file, [])).error) {
    host.end();
    if (!(await host.run(file, mutants)).error) return;
  }
  Object.assign(mutants[0], { noticedBy: file.name, error });
}

function toText({ place, kind, original, replacement, noticedBy, files: reaching }) {
  const unnoticed = reaching.length > 0 ? 'survived' : 'uncovered';
  return `${noticedBy ? `only ${noticedBy}` : unnoticed}: ${kind} ${place}\n    ${original}\n  → ${replacement}`;
}

function toRecord({ id, alone, files: reaching, ...mutant }) {
  return { ...mutant, isCovered: reaching.length > 0 };
}

function toTable(mutants) {
  const roomOf = ({ file }) => /^src\/([\w-]+)\//.exec(file)?.[1] ?? 'src';
  const rooms = [...new Set(mutants.map(roomOf))].sort();
  const rows = rooms.map((room) => [room, ...toFigures(mutants.filter((mutant) => roomOf(mutant) === room))]);
  const heading = ['', 'changes', 'uncovered', 'hung', 'by any', 'score', 'by net', 'score'];
  return [heading, ...rows, ['all', ...toFigures(mutants)]].map(
    ([name, ...figures]) => name.padEnd(14) + figures.map((one) => String(one).padStart(10)).join(''),
  );
}

function toFigures(mutants) {
  const [uncovered, hung, noticed, byNet] = [
    ({ files: reaching }) => reaching.length === 0,
    ({ error }) => error === 'does not end',
    ({ noticedBy }) => noticedBy,
    ({ noticedBy }) => net.test(noticedBy),
  ].map((isCounted) => mutants.filter(isCounted).length);
  const toScore = (count) => `${((100 * count) / mutants.length).toFixed(1)} %`;
  return [mutants.length, uncovered, hung, noticed, toScore(noticed), byNet, toScore(byNet)];
}
