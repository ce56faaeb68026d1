/** Source, documents and README contain no words that readers of English as a second language do not know. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** A word, and what to write instead. */
type Banned = readonly [word: RegExp, better: string];

const bannedEverywhere: readonly Banned[] = [
  [/\btold\b|\btells? of\b/g, 'report, list, say'],
  [/\busually\b/g, 'default'],
  [/\bwhoever\b|\bhow-manieth\b|\bhow-many\b|\bin how\b/g, 'name the actor or the number'],
  [/\blaid into\b/g, 'stored in'],
  [/\blets? go\b/g, 'evict, disconnect, delete'],
  [/\bremark(?:s|ed)? (?:up)?on\b/g, 'warn'],
  [/\bwhat there is\b/g, 'name the thing'],
  [/\bin force\b/g, 'active'],
  [/\bas it is meant\b/g, 'payload'],
  [/\bstands? (?:here|there|beside)\b/g, 'is listed, is next to'],
  [/\bbegins? anew\b/g, 'is reset, restarts'],
  [/\bgoes before\b/g, 'takes precedence over'],
  [/\bcome to be\b|\bcame of it\b/g, 'is created, result'],
  [/\bstrange\b|\bremarkable\b/g, 'warning'],
  [/\bto be had\b|\bcan't be had\b/g, 'available'],
  [/\b(?:most|least|longest|usual)[A-Z]\w*/g, 'maxX, minX, defaultX'],
];

/** Words that messages in src/ still contain. */
const bannedInProse: readonly Banned[] = [
  [/\bmend(?:s|ed|ing)?\b/g, 'fix'],
  [/\bcarr(?:y|ies|ied|ying) out\b/g, 'apply, run'],
  [/\b(?:is|are|was|were|be|been) taken\b/g, 'in use, accepted, delivered'],
  [/\banew\b/g, 'again'],
  [/\bno end\b/g, 'unlimited'],
  [/\bdeeds?\b/g, 'firing'],
  [/\bforth and back\b|\bcall(?:s|ed)? forth\b/g, 'cause'],
];

const listFiles = (folder: string, pattern: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file))
    .map((file) => path.join(folder, file));

/** Removes quoted titles of tests. */
const withoutTitles = (text: string): string => text.replace(/(\.test\.ts`): "[^"\n]*"(?:, "[^"\n]*")*/g, '$1');

/** Removes code, program output, and the blocks that tests generate from src/. */
const toProse = (text: string): string =>
  withoutTitles(text).replace(/<!-- (\w+): [\s\S]*?<!-- \/\1 -->|^```[\s\S]*?^```|`[^`\n]*`/gm, (block) =>
    block.replace(/[^\n]/g, ''),
  );

const prose = [...listFiles('docs', /\.md$/), 'README.md', 'ARCHITECTURE.md'];
const all = [
  ...listFiles('src', /(?<!\.gen)\.(?:ts|css|html)$/),
  ...listFiles('spec', /\.yaml$/),
  ...listFiles('scenarios', /\.yaml$/),
  ...prose,
];

function findBanned(file: string, text: string, banned: readonly Banned[]): readonly string[] {
  // Line by line, all files together would take seconds.
  if (!banned.some(([word]) => text.search(word) >= 0)) return [];
  return text
    .split('\n')
    .flatMap((line, index) =>
      banned.flatMap(([word, better]) =>
        [...line.matchAll(word)].map(([found]) => `${file}:${index + 1} "${found}": ${better}`),
      ),
    );
}

test('no file contains a banned word', () => {
  const found = all.map((file) => findBanned(file, withoutTitles(readFileSync(file, 'utf8')), bannedEverywhere));
  expect(found.flat()).toEqual([]);
});

test('documents contain no word of dialect', () => {
  expect(prose.flatMap((file) => findBanned(file, toProse(readFileSync(file, 'utf8')), bannedInProse))).toEqual([]);
});
