import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatIssue, type Issue, moreToCome, readYaml } from '../../src/diagnostics/yaml-file.ts';
import { parseBounded } from '../../src/diagnostics/yaml-parse.ts';
import { runAll } from '../../src/lib/slices.ts';

const schema = z.strictObject({
  size: z.int().exactOptional(),
  colour: z.enum(['red', 'green', 'blue']).exactOptional(),
  parts: z.record(z.string(), z.strictObject({ count: z.number() })).exactOptional(),
  list: z.array(z.union([z.string(), z.number()])).exactOptional(),
  free: z.unknown().optional(),
});

function issuesOf(text: string): readonly Issue[] {
  const read = readYaml(text, 'file.yaml', schema);
  return read.ok ? [] : read.issues;
}

function places(text: string): readonly string[] {
  return issuesOf(text).map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`);
}

function valueIn(text: string): unknown {
  const read = readYaml(text, 'file.yaml', schema);
  return read.ok ? read.value : read.issues;
}

describe('what is too much', () => {
  const ten = (anchor: string) => `[${`*${anchor},`.repeat(10)}]`;
  const bomb = `free: [&a x, ${['b', 'c', 'd', 'e', 'f', 'g']
    .map((name, index) => `&${name} ${ten('abcdef'[index] ?? '')}`)
    .join(', ')}]`;
  it.each([
    ['brackets', '['.repeat(200_000), '1:251  expected at most 100 levels of nesting'],
    // Deep enough for the recursion of the parser to end the process.
    ['keys of keys', '? '.repeat(130_000), '1:500  expected at most 100 levels of nesting'],
    ['levels', `free: ${'['.repeat(200)}${']'.repeat(200)}`, '1:107  expected at most 100 levels of nesting'],
    ['aliases of aliases', bomb, '1:203  expected at most 262,144 values; aliases repeat more'],
    [
      'aliases of a text',
      `list: [&a ${'x'.repeat(1000)}${', *a'.repeat(300)}]`,
      '1:2053  expected at most 262,144 values; aliases repeat more',
    ],
    ['text', 'x'.repeat(300_000), '1:1  expected at most 262,144 characters, got 300,000'],
  ])('%s', (_, text, place) => {
    expect(places(text)).toEqual([place]);
  });

  it.each([`{${','.repeat(100_000)}`, `[${','.repeat(100_000)}`, '%A\n'.repeat(87_000)])(
    'stops at mistakes',
    (text) => {
      const parsed = runAll(parseBounded(text));
      if (!('document' in parsed)) throw new Error('too much');
      expect(parsed.document.errors.length + parsed.document.warnings.length).toBe(201);
    },
  );

  it('accepts many aliases of a small value', () => {
    expect(valueIn(`list: [&a x${', *a'.repeat(5000)}]`)).toEqual({ list: Array.from({ length: 5001 }, () => 'x') });
  });

  it('reports at most a hundred mistakes, the last of which says that there are more', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `key${index}: 1`);
    expect(issuesOf(keys.join('\n'))).toHaveLength(100);
    expect(issuesOf(`list: [${'[],'.repeat(50_000)}]`)).toHaveLength(100);
    expect(issuesOf(keys.join('\n')).at(-1)?.message).toBe(moreToCome);
    expect(issuesOf(keys.slice(0, 100).join('\n')).map(({ message }) => message)).not.toContain(moreToCome);
    expect(issuesOf(keys.slice(0, 101).join('\n')).at(-1)).toMatchObject({ message: moreToCome, line: 100 });
  });
});

describe('a formatted issue', () => {
  const at = (line: number, column: number): Issue => ({ file: 'a.yaml', line, column, message: 'wrong', path: '' });

  it('shows no control characters', () => {
    expect(formatIssue(at(1, 4), '\ta\u001b[31mb\r\n')).toBe('a.yaml:1:4  wrong\n     a [31mb\n       ^');
  });

  it('quotes primitives only, and truncates them', () => {
    const [issue] = issuesOf(`size: ${'x'.repeat(100)}\n`);
    expect(issue?.message).toBe(`expected a number, got "${'x'.repeat(60)}…"`);
    expect(issuesOf('size: { secret: 1 }\n')[0]?.message).toBe('expected a number, got a mapping');
  });
});
