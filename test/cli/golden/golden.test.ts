/**
 * Whole commands as text: each file of this folder has the command lines of one command, with what they print and
 * write. `npx vitest run test/cli/golden --update` writes the files again; session.ts explains their form.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { folder, longFiles, playFiles, readSessions } from './play.ts';
import type { Session } from './session.ts';

const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

// long-files.test.ts has the others.
playFiles(files.filter((name) => !longFiles.includes(name)));

describe('the exit codes in docs/reference/commands.md and options.md', () => {
  const sessions = files.flatMap(readSessions);

  test('are each reached by a command line of this folder', () => {
    const reached = new Set(sessions.flatMap(toReached));
    const missing = [...readDocumented()].filter((code) => !reached.has(code));
    // A second listener: see listen/count.test.ts. A lost lock: start/data.test.ts. The 0 of `start` is that of --version here; process.test.ts has signals.
    expect(missing).toEqual(['listen 3', 'start 1']);
  });

  test('are complete', () => {
    const documented = readDocumented();
    // `run` ends with the code of its command, and any command with that of a signal.
    const others = sessions.flatMap(toReached).filter((code) => !documented.has(code));
    expect(new Set(others)).toEqual(new Set(['run 3', 'run 42', 'run 130', 'verify-receiver 130']));
  });
});

function toReached({ commands }: Session): readonly string[] {
  return commands.map(({ command, code }) => {
    const [, first = ''] = /^(?:[A-Z_]+=\S* )*(\S+)/.exec(command) ?? [];
    return `${readSections().has(first) ? first : 'start'} ${code}`;
  });
}

/** Returns the sections of the reference by the name of their command. */
function readSections(): ReadonlyMap<string, string> {
  const sections = readFileSync('docs/reference/commands.md', 'utf8').split(/^## /m).slice(2);
  return new Map(sections.map((text) => [text.split('\n')[0] ?? '', text]));
}

/** Returns pairs such as `check 1`. */
function readDocumented(): ReadonlySet<string> {
  const codes = (text: string): readonly string[] =>
    [...text.matchAll(/^\|(?: (?:`[\w-]+` )?\|)? (\d+(?:, \d+)*) \|/gm)].flatMap(([, found = '']) => found.split(', '));
  const pairs = [...readSections()].flatMap(([name, text]) =>
    ['0', '2', ...codes(text)].map((code) => `${name} ${code}`),
  );
  const start = codes(readFileSync('docs/reference/options.md', 'utf8').split('## Exit codes')[1] ?? '');
  return new Set([...pairs, ...start.map((code) => `start ${code}`)]);
}
