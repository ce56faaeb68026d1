/** `field-sandbox replay FILE`: its output, its progress line, and its exit code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runReplay } from '../../../src/cli/replay/command.ts';
import type { WallClock } from '../../../src/lib/time.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';
import { type Tampered, tamper, tellStory } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const folder = mkdtempSync(path.join(tmpdir(), 'replay-'));
const file = path.join(folder, 'r.json');
let story = '';
let large = '';

beforeAll(async () => {
  story = await tellStory(sandbox, freshProject());
  large = await tellLarge(freshProject());
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a recording with a response that is too long to show. */
async function tellLarge(project: string): Promise<string> {
  const jobs = Array.from({ length: 100 }, (_, n) => ({ id: `J-${n}` }));
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  return (await sandbox.control('GET', `/projects/${project}/recording`)).text;
}

/** Writes the text to a file and replays it. */
async function replay(text: string, show?: (text: string) => void, wall: WallClock = createTestWall()) {
  writeFileSync(file, text);
  return replayFile(file, show, wall);
}

async function replayFile(name: string, show?: (text: string) => void, wall: WallClock = createTestWall()) {
  const written = { out: '', err: '' };
  const print = (text: string): void => {
    written.out += text;
  };
  const printError = (text: string): void => {
    written.err += text;
  };
  const code = await runReplay({ files: [name] }, { print, printError, showLine: show }, wall);
  return { code, ...written };
}

const changed = (text: string, change: (recording: Tampered) => unknown) => JSON.stringify(tamper(text, change));

test('a long text that is the beginning of the other is cut around its end', async () => {
  const { body } = JSON.parse(large).changes[0].response;
  const { out } = await replay(changed(large, ({ changes: [one] }) => (one.response.body = body.slice(0, 1000))));
  const [first, recorded, replayed] = out.split('\n');
  expect(first).toBe('different: the body, from character 1001');
  expect(recorded).toBe(`  recorded  …${body.slice(700, 1000)}`);
  expect(replayed).toBe(`  replayed  …${body.slice(900, 1200)}…`);
});

test('control characters in the file are removed', async () => {
  const odd = '\u001b[2J\r\nidentical: 1 request\u2028\u009b2J';
  const { out } = await replay(
    changed(story, ({ changes: [job] }) => {
      job.response.body = odd;
      job.request.body = ` ${job.request.body}${odd.slice(4, 6)}`;
    }),
  );
  expect(out.split('\n')).toHaveLength(7);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/);
});

test('no secret of a request is shown', async () => {
  const project = freshProject();
  const user = { username: 'ana', type: 'driver', visibleBy: 'S-1', access: 'DRIVER', password: 'Gehe1m' };
  await sandbox.api('POST', `/projects/${project}/users?apikey=sandbox-key`, user);
  const { text } = await sandbox.control('GET', `/projects/${project}/recording`);
  const { code, out } = await replay(changed(text, ({ changes: [one] }) => (one.response.status = 200)));
  expect(code).toBe(1);
  expect(out).toContain('"username":"ana"');
  expect(out).not.toMatch(/Gehe1m|sandbox-key/);
});

describe('the progress line of a terminal', () => {
  /** Creates a clock that advances by `ms` at each reading. */
  const slow = (ms: number): WallClock => {
    let looks = 0;
    return { ...createTestWall(), elapsed: () => ms * looks++ };
  };

  test('is updated at most ten times a second, and cleared at the end', async () => {
    const shown: string[] = [];
    const { code, out, err } = await replay(story, (text) => shown.push(text), slow(60));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = [2, 4, 6, 8, 10].map((replayed) => `\r${replayed} of 10 changes replayed`);
    expect(shown).toEqual([...lines, '\r\u001b[2K']);
    expect(out).toBe('identical: 4 requests, 1 callback; replayed 2.0 s of project time in 720 ms\n');
  });

  test.each([
    [90, '1.1 s'],
    [6000, '1 min 12 s'],
    [500_000, '1 h 40 min'],
    [7_200_000, '1 d'],
  ])('the duration is formatted in its two largest units (%d ms per reading: %s)', async (ms, took) => {
    expect((await replay(story, () => undefined, slow(ms))).out).toContain(` of project time in ${took}\n`);
  });
});
