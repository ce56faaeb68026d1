/** Every damage of a project's file gives the exact state, an exact earlier one where the rule says so, or a refusal. */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { Disk } from '../../../src/project/persistence/folder/disk.ts';
import { openKeyFile, toKeyText } from '../../../src/project/persistence/key-file.ts';
import { isFull } from '../../harness/amounts.ts';
import { createStoredProject, linesOf as linesOfText, readProject, toValue } from './stored-project.ts';

interface History {
  readonly bytes: Buffer;
  /** Number of lines of the whole project, before its changes. */
  readonly wholeLines: number;
  /** The project as a whole, and after each change. */
  readonly states: readonly unknown[];
}

/** Lets a project of this name change some times after it was written as a whole. */
function write(project: string, notes: string): History {
  const stored = createStoredProject(project);
  stored.put({ id: 'O-1', notes });
  const whole = stored.toText();
  const states = [toValue(stored.state)];
  let text = whole;
  for (const id of ['O-2', 'O-3', 'O-4']) {
    stored.put({ id, notes });
    text += stored.toLines() ?? '';
    states.push(toValue(stored.state));
  }
  return { bytes: Buffer.from(text), wholeLines: linesOfText(whole).length, states };
}

const linesOf = (text: Buffer): string[] => linesOfText(text.toString('utf8'));

/** Reads a damaged file. Returns the index of the state, or the refusal. */
function read(bytes: Buffer): number | string {
  const { states } = history;
  let found: ReturnType<typeof readProject>;
  try {
    found = readProject(bytes.toString('utf8'));
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
const later = write('p', 'other notes');
const { bytes, wholeLines } = history;
const last = history.states.length - 1;
/** Which bits of a byte change; 0: it becomes zero. */
const masks = isFull ? [1, 2, 4, 8, 16, 32, 64, 128, 0] : [1, 0];

test('what is written is read', () => {
  expect(read(bytes)).toBe(last);
});

test('each byte, changed in one bit or zeroed, is refused with its line; the end may be missing', () => {
  const damages = [...bytes.keys()].flatMap((at) => masks.map((mask) => ({ at, to: mask && (bytes[at] ?? 0) ^ mask })));
  for (const { at, to } of damages.filter((_, index) => isFull || index % 3 === 0)) {
    const damaged = Buffer.from(bytes);
    damaged[at] = to;
    const result = read(damaged);
    if (at === bytes.length - 1) expect(result, `byte ${at}`).toBe(last - 1);
    else expect(result, `byte ${at}`).toMatch(/line \d/);
  }
});

test('cut anywhere, it is refused, or is the state before the write that was cut', () => {
  for (let length = 0; length < bytes.length; length += 1) {
    const result = read(bytes.subarray(0, length));
    const changes = linesOf(bytes.subarray(0, length)).filter((line) => line.endsWith('\n')).length - wholeLines;
    const isBetween = bytes[length - 1] === 10;
    if (changes < 0) expect(result, `${length}`).toMatch(/line \d/);
    else expect(result, `${length}`).toBe(isBetween ? `earlier ${changes}` : changes);
  }
});

test('a line that is removed, doubled, moved, zeroed or from elsewhere is refused', () => {
  const lines = linesOf(bytes);
  const of = (changed: readonly string[]) => read(Buffer.from(changed.join('')));
  const expectLine = (changed: readonly string[], line: number, what: string) =>
    expect(of(changed), `${what}, line ${line}`).toMatch(`line ${line}: `);
  for (const [index, line] of lines.entries()) {
    const without = lines.toSpliced(index, 1);
    if (index === lines.length - 1) expect(of(without)).toBe(`earlier ${last - 1}`);
    else expectLine(without, index + 1, 'removed');
    expectLine(lines.toSpliced(index, 0, line), index + 2, 'doubled');
    expectLine(lines.with(index, `${'\0'.repeat(line.length - 1)}\n`), index + 1, 'zeroed');
    expectLine(lines.with(index, '{"of":"x","n":1}\n'), index + 1, 'without a checksum');
    expectLine(lines.with(index, linesOf(other.bytes)[index] ?? ''), index + 1, 'of another project');
    for (const [to, instead] of lines.entries())
      if (to !== index) expectLine(lines.with(index, instead).with(to, line), Math.min(index, to) + 1, 'moved');
  }
});

test('a project of another name, and changes of another project or another time, are refused', () => {
  expect(read(other.bytes)).toMatch('line 1: belongs to project "q"');
  for (const { bytes: instead } of [other, later]) {
    const mixed = [...linesOf(bytes).slice(0, wholeLines), ...linesOf(instead).slice(wholeLines)];
    expect(read(Buffer.from(mixed.join('')))).toBe(`line ${wholeLines + 1}: its checksum does not fit`);
  }
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
