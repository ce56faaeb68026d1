/** Options of the command line and the environment: their values, mistakes and remarks. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { optionTable } from '../../src/config/option-table.ts';
import { nameAsGiven, parseOptions, readEnvironment } from '../../src/config/options.ts';

/** What is given by a line, such as `{"port":"0","SANDBOX_SEED":"s"}`: options, and variables by their names. */
function parse(line: string) {
  const all = Object.entries(JSON.parse(line) as Readonly<Record<string, string>>);
  const isVariable = ([name]: readonly [string, unknown]): boolean => name.startsWith('SANDBOX_');
  const given = Object.fromEntries(all.filter((one) => !isVariable(one)));
  return parseOptions(given, readEnvironment(Object.fromEntries(all.filter(isVariable))));
}

const defaults = parse('{}');
/** Depends on the machine. */
const varying = 'memory';

/** The options that are not the default, and the remarks; or the mistakes. Of no options at all, the defaults. */
function toLines(line: string): readonly string[] {
  const parsed = parse(line);
  if (!parsed.ok) return parsed.mistakes.map((mistake) => `  mistake: ${mistake}`);
  const before: object = line === '{}' || !defaults.ok ? {} : defaults.options;
  const texts = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  const options = Object.entries(parsed.options)
    .filter(([name, value]) => name !== varying && JSON.stringify(value) !== texts.get(name))
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  return [...options, ...parsed.remarks.map((remark) => `  remark: ${remark}`)];
}

/** To add a case, write its line into the file, run `npx vitest run test/config -u`, and read what follows it. */
test('options and variables have the values, mistakes and remarks of options.txt', async () => {
  const file = path.join(import.meta.dirname, 'options.txt');
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^[#{]/.test(line));
  const told = lines.map((line) => (line.startsWith('#') ? `\n${line}` : [line, ...toLines(line)].join('\n')));
  await expect(`${told.join('\n').trimStart()}\n`).toMatchFileSnapshot(file);
});

test('a message names an option as it was given', () => {
  const parsed = parseOptions({ data: 'x' }, { SANDBOX_SCENARIO: 'a', SANDBOX_DATA: 'y' });
  const names = parsed.ok ? parsed.names : new Map();
  expect(nameAsGiven('--scenario: there is no scenario "a"', names)).toBe('SANDBOX_SCENARIO: there is no scenario "a"');
  expect(nameAsGiven('--data: x is in use', names)).toBe('--data: x is in use');
  expect(nameAsGiven('--scenario-dir: cannot watch', names)).toBe('--scenario-dir: cannot watch');
  expect(nameAsGiven('a.yaml: --scenario', names)).toBe('a.yaml: --scenario');
});

test('every option has its own variable and a help text', () => {
  expect(new Set(optionTable.map(({ env }) => env)).size).toBe(optionTable.length);
  for (const { env, help } of optionTable) {
    expect(env).toMatch(/^SANDBOX_[A-Z_]+$/);
    expect(help).not.toBe('');
  }
});
