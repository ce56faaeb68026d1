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

describe('the value', () => {
  it('is the typed value of YAML', () => {
    expect(valueIn('size: 3\ncolour: red\n')).toEqual({ size: 3, colour: 'red' });
  });

  it('is the typed value of JSON', () => {
    expect(valueIn('{"size":3,"parts":{"a":{"count":1}}}')).toEqual({ size: 3, parts: { a: { count: 1 } } });
  });

  it('follows aliases', () => {
    expect(valueIn('free: &one { a: [1] }\nlist: [x, &two y, *two]\nparts: { p: { count: 1 } }\n')).toMatchObject({
      list: ['x', 'y', 'y'],
    });
  });

  it('follows the core schema of YAML 1.2, also if the text requests another version', () => {
    expect(valueIn('%YAML 1.1\n---\nfree: [2001-01-01, yes, 0o7]\n')).toEqual({ free: ['2001-01-01', 'yes', 7] });
  });
});

describe('the position of an issue', () => {
  it('behind an alias is that of the last anchor of the name before it', () => {
    const text = 'parts:\n  x: &a { count: 1 }\n  y: &a { count: big }\n  z: *a\n';
    expect(places(text)).toEqual(['3:18 /parts/z/count expected a number, got "big"']);
  });

  it.each([
    ['an unknown key at the key', 'size: 1\nsise: 2\n', '2:1 /sise unknown key "sise", did you mean size?'],
    ['a wrong value at the value', 'size:   big\n', '1:9 /size expected a number, got "big"'],
    ['a missing key at the mapping', 'parts:\n  a: {}\n', '2:6 /parts/a missing key count: expected a number'],
    ['an empty value at its key', 'size:\nfree: 1\n', '1:1 /size expected a number, got null'],
    [
      'an entry of a list at the entry',
      'list:\n  - a\n  - [b]\n',
      '3:5 /list/1 expected text, or a number, got a list',
    ],
    [
      'a key with a slash as a pointer',
      'parts: { a/b~c: 1 }\n',
      '1:17 /parts/a~1b~0c expected a mapping with count, got 1',
    ],
    ['a number as a key', 'parts: { 7: 1 }\n', '1:13 /parts/7 expected a mapping with count, got 1'],
    [
      'line breaks of Windows',
      'size: 1\r\ncolour: gren\r\n',
      '2:9 /colour expected one of red, green or blue, got "gren", did you mean green?',
    ],
  ])('%s', (_, text, place) => {
    expect(places(text)).toEqual([place]);
  });

  it('follows the order of the text', () => {
    expect(issuesOf('list: 1\nsise: 1\ncolour: 1\nsize: x\n').map(({ line }) => line)).toEqual([1, 2, 3, 4]);
  });
});

describe('rejects a text without a value', () => {
  it.each([
    ['nothing', '', '1:1  the file is empty'],
    ['a comment', '# only\n', '1:1  the file is empty'],
    ['two documents', 'size: 1\n---\nsize: 2\n', '2:1  expected one document, got a second'],
    ['a key twice', 'size: 1\nsize: 2\n', '2:1 /size duplicate key "size"'],
    [
      'a list as a key',
      'free: { [a]: 1 }\n',
      '1:9 /free expected text as key: put text that begins with { or [ in quotes',
    ],
    ['a prototype', 'parts: { __proto__: { count: 1 } }\n', '1:10 /parts/__proto__ unknown key "__proto__"'],
    ['an alias without an anchor', 'free: *a\n', '1:7 /free unknown anchor "a": put text that begins with * in quotes'],
    [
      'a value that contains itself',
      'free: &a [*a]\n',
      '1:11 /free/0 unknown anchor "a": put text that begins with * in quotes',
    ],
    [
      'a value that contains itself, with the anchor of an earlier value',
      'list: [&a x]\nfree: &a [*a]\n',
      '2:11 /free/0 unknown anchor "a": put text that begins with * in quotes',
    ],
  ])('%s', (_, text, place) => {
    expect(places(text)).toEqual([place]);
  });
});

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
    ['text', 'x'.repeat(300_000), '1:1  expected at most 262,144 characters, got 300,000'],
  ])('%s', (_, text, place) => {
    expect(places(text)).toEqual([place]);
  });

  it.each(['{', '['])('stops at the errors of %s and many commas', (start) => {
    const parsed = runAll(parseBounded(`${start}${','.repeat(100_000)}`));
    expect('document' in parsed && parsed.document.errors.length).toBe(201);
  });

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
