/** The same story under `run`: its report, log and recordings say what the journal says, and a replay repeats it. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type ProcessResult, type Running, useProgram } from '../../harness/program.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { type CallbackFacts, countBy, fromCallback, fromEntry, fromRecording, type RequestFacts } from './readers.ts';
import { control, gone, main, play } from './story.ts';

const program = useProgram();
const receiver = useReceiver();
const clock = ['--clock', '2026-03-02T09:00:00.000Z'];
const keys = ['--api-key', 'sandbox-key', '--api-key', 'other-key=other'];
/** Tells the address of the sandbox, and ends with its input. */
const waiting = 'console.log("AT " + process.env.SANDBOX_URL + " ."); process.stdin.resume()';

/** Reads a table of the report, such as `  asyncImportJobs: 202 × 2, 400 × 1`, as counts of its pairs. */
function readTable(report: string, heading: RegExp): object {
  const lines = report.split('\n');
  const from = lines.findIndex((line) => heading.test(line)) + 1;
  const rows: [string, number][] = [];
  for (const line of lines.slice(from)) {
    const [, name, cells] = /^ {2}(.+?): (.+ × \d+)$/.exec(line) ?? [];
    if (name === undefined || cells === undefined) break;
    for (const cell of cells.split(', ')) {
      const [value, count] = cell.split(' × ');
      rows.push([`${name} ${value}`, Number(count)]);
    }
  }
  return Object.fromEntries(rows);
}

const folder = path.join(program.folder, 'recordings');
let running: Running;
let url: string;
let ended: ProcessResult;
/** All requests, and those that are in the journal of the main project at the end. */
let all: readonly RequestFacts[];
let ofMain: readonly RequestFacts[];
let callbacks: readonly CallbackFacts[];

beforeAll(async () => {
  running = program.start([
    ...['run', ...clock, ...keys, '--log', 'json', '--record', folder, '--'],
    ...[process.execPath, '-e', waiting],
  ]);
  let written = '';
  running.child.stdout?.on('data', (chunk) => {
    written += chunk;
  });
  await running.waitForOutput('.\n');
  url = /^AT (\S+) \.$/m.exec(written)?.[1] ?? '';
});

beforeAll(async () => {
  const story = await play({ url, receiver });
  const kept = (await control(url, 'GET', '/requests?limit=1000')).items.map(fromEntry) as RequestFacts[];
  callbacks = (await control(url, 'GET', `/projects/${main}/callbacks`)).items.map(fromCallback) as CallbackFacts[];
  const before = story.before.map(fromEntry) as RequestFacts[];
  ofMain = kept.filter(({ project }) => project !== gone);
  all = [...ofMain, ...before.filter(({ project }) => project === gone), ...kept.slice(ofMain.length)];
  running.child.stdin?.end();
  ended = await running.ended;
  // As long as a test may take.
}, 30_000);

test('the log', () => {
  const lines = ended.err.split('\n').filter((line) => line.includes('"event":"request"'));
  const log = lines.map((line) => JSON.parse(line));
  expect(log.map(({ id, project, operation, method, status }) => [id, project, operation, method, status])).toEqual(
    // A request that reached no project has none in the log, even if it names one.
    all.map(({ id, project, change, operation, method, status }) => [
      ...[id, change === null ? undefined : project, operation ?? undefined, method, status],
    ]),
  );
});

test('the report', () => {
  const { code, out } = ended;
  expect(code, out).toBe(0);
  // It also counts the request whose delayed response the reset has overtaken.
  const delayed = { operation: 'syncCreateJobs', status: 200, fault: null } as RequestFacts;
  expect(out).toContain(`\n${all.length + 1} requests\n`);
  expect(readTable(out, /^\d+ requests$/)).toEqual(
    countBy([...all, delayed], ({ operation, method, path: at, status, fault }) => {
      return `${operation ?? `${method} ${at}`} ${status === 0 ? `no response (${fault})` : status}`;
    }),
  );
  expect(readTable(out, /^\d+ callbacks$/)).toEqual(countBy(callbacks, ({ type, state }) => `${type} ${state}`));
  const fired = all.flatMap(({ rules }) => rules.filter((rule) => rule.startsWith('story/')));
  expect(out).toContain(`story in 2 projects: rules fired ${fired.length + 1} times, 2 of 2 expectations met`);
});

test('the recordings, and the replay of one', async () => {
  expect(readdirSync(folder).toSorted()).toEqual([`${gone}.2.json`, `${gone}.json`, `${main}.json`]);
  const file = path.join(folder, `${main}.json`);
  const recorded = fromRecording(JSON.parse(readFileSync(file, 'utf8')));
  const changes = ofMain.filter(({ change }) => change !== null);
  const inOrder = changes.toSorted((a, b) => Number(a.change) - Number(b.change));
  const toRequest = ({ id, change, status, fault }: Partial<RequestFacts>) => [id, change, status, fault];
  expect(recorded.requests.map(toRequest)).toEqual(inOrder.map(toRequest));
  const toCallback = ({ id, requestId, attempts }: Partial<CallbackFacts>) => [id, requestId, attempts];
  expect(recorded.callbacks.map(toCallback)).toEqual(callbacks.map(toCallback));
  const { out } = await program.run(['replay', file]);
  expect(out).toContain(`identical: ${changes.length} requests, ${callbacks.length} callbacks`);
});
