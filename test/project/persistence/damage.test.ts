/** Every damage of a project's files gives the exact state, an exact earlier one where the rule says so, or a refusal. */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { Disk } from '../../../src/project/persistence/folder/disk.ts';
import { openKeyFile, toKeyText } from '../../../src/project/persistence/key-file.ts';
import { isFull } from '../../harness/amounts.ts';
import { createStoredProject, linesOf as linesOfText, readProject, toValue } from './stored-project.ts';

interface Files {
  readonly file: Buffer;
  readonly log: Buffer;
}

interface History extends Files {
  /** What the file says, and after each line of the log. */
  readonly states: readonly unknown[];
}

/** Lets a project of this name change some times after its file was written. */
function write(project: string, notes: string): History {
  const stored = createStoredProject(project);
  stored.put({ id: 'O-1', notes });
  const file = stored.toText();
  const states = [toValue(stored.state)];
  let lines = '';
  for (const id of ['O-2', 'O-3', 'O-4']) {
    stored.put({ id, notes });
    lines += stored.toLines() ?? '';
    states.push(toValue(stored.state));
  }
  return { file: Buffer.from(file), log: Buffer.from(lines), states };
}

const linesOf = (text: Buffer): string[] => linesOfText(text.toString('utf8'));

/** Reads damaged files. Returns the index of the state, or the refusal. */
function read({ file, log }: Files, { states }: History): number | string {
  let found: ReturnType<typeof readProject>;
  try {
    found = readProject(file.toString('utf8'), log.toString('utf8'));
  } catch (error) {
    return (error as Error).message;
  }
  const value = toValue(found.state);
  const index = states.findIndex((state) => isDeepStrictEqual(state, value));
  if (index < 0) throw new Error('another state');
  if (index < states.length - 1 && !found.isCut) return `earlier ${index}`;
  return index;
}

const history = write('p', 'é');
const other = write('q', 'é');
const last = history.states.length - 1;
const places = ['file', 'log'] as const;
/** Which bits of a byte change; 0: it becomes zero. */
const masks = isFull ? [1, 2, 4, 8, 16, 32, 64, 128, 0] : [1, 0];

test('what is written is read', () => {
  expect(read(history, history)).toBe(last);
});

test.each(places)(
  '%s: each byte, changed in one bit or zeroed, is refused with its line; the end may be missing',
  (place) => {
    const bytes = history[place];
    const damages = [...bytes.keys()].flatMap((at) =>
      masks.map((mask) => ({ at, to: mask && (bytes[at] ?? 0) ^ mask })),
    );
    for (const { at, to } of damages.filter((_, index) => isFull || index % 3 === 0)) {
      const damaged = Buffer.from(bytes);
      damaged[at] = to;
      const result = read({ ...history, [place]: damaged }, history);
      if (place === 'log' && at === bytes.length - 1) expect(result, `byte ${at}`).toBe(last - 1);
      else expect(result, `byte ${at}`).toMatch(/line \d/);
    }
  },
);

test.each(places)('%s: cut anywhere, it is refused, or is the state before the write that was cut', (place) => {
  const bytes = history[place];
  for (let length = 0; length < bytes.length; length += 1) {
    const result = read({ ...history, [place]: bytes.subarray(0, length) }, history);
    if (place === 'file') expect(result, `${length}`).toMatch(/line \d/);
    else {
      const whole = linesOf(bytes.subarray(0, length)).filter((line) => line.endsWith('\n')).length;
      const isBetween = length === 0 || bytes[length - 1] === 10;
      expect(result, `${length}`).toBe(isBetween ? `earlier ${whole}` : whole);
    }
  }
});

test.each(places)('%s: a line that is removed, doubled, moved, zeroed or from elsewhere is refused', (place) => {
  const lines = linesOf(history[place]);
  const of = (changed: readonly string[]) => read({ ...history, [place]: Buffer.from(changed.join('')) }, history);
  const isLog = place === 'log';
  /** In a log, the refusal has the first line that is not the expected one; a file, which has an end, may have another. */
  const expectLine = (changed: readonly string[], line: number, what: string) =>
    expect(of(changed), `${what}, line ${line}`).toMatch(isLog ? ` at line ${line}: ` : /line \d/);
  for (const [index, line] of lines.entries()) {
    const without = lines.toSpliced(index, 1);
    if (isLog && index === lines.length - 1) expect(of(without)).toBe(`earlier ${last - 1}`);
    else expectLine(without, index + 1, 'removed');
    expectLine(lines.toSpliced(index, 0, line), index + 2, 'doubled');
    expectLine(lines.with(index, `${'\0'.repeat(line.length - 1)}\n`), index + 1, 'zeroed');
    expectLine(lines.with(index, '{"of":"x","n":1}\n'), index + 1, 'without a checksum');
    expectLine(lines.with(index, linesOf(other[place])[index] ?? ''), index + 1, 'of another project');
    for (const [to, instead] of lines.entries())
      if (to !== index) expectLine(lines.with(index, instead).with(to, line), Math.min(index, to) + 1, 'moved');
  }
});

test('a file or log of another project, or of another time, is refused', () => {
  expect(read({ ...history, file: other.file }, history)).toMatch('line 1: belongs to project "q"');
  expect(read({ ...history, log: other.log }, history)).toMatch(/line 1/);
  const later = write('p', 'other notes');
  expect(read({ ...history, log: later.log }, history)).toMatch('line 1: it follows another version of the file');
  expect(read({ ...history, file: later.file }, history)).toMatch('line 1: it follows another version of the file');
});

test('the file of keys: each byte, changed in one bit or zeroed, is refused', () => {
  const keys = [{ id: 'key_1', digest: 'x'.repeat(44), projects: ['p-*'], createdAt: '2026-03-02T09:30:00.000Z' }];
  const text = Buffer.from(toKeyText(keys));
  const open = (bytes: Buffer) => openKeyFile({ lines: () => linesOf(bytes) } as unknown as Disk, '.keys');
  expect(open(text)).toBeDefined();
  for (const at of text.keys()) {
    for (const mask of masks) {
      const damaged = Buffer.from(text);
      damaged[at] = mask && (text[at] ?? 0) ^ mask;
      expect(() => open(damaged), `byte ${at}`).toThrow('line 1: ');
    }
  }
});
