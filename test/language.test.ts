/** Checks that source, documents and README avoid words that readers of English as a second language stumble over. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Each with what to write instead. */
const banned: readonly (readonly [RegExp, string])[] = [
  [/\btold\b|\btells? of\b/g, 'report, list, say'],
  [/\busually\b/g, 'default'],
  [/\bwhoever\b|\bhow-manieth\b/g, 'name the actor'],
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
  [/\b(?:most|least|longest|usual)[A-Z]\w*/g, 'maxX, minX, defaultX'],
];

const folders: Readonly<Record<string, RegExp>> = {
  src: /(?<!\.gen)\.(?:ts|css|html)$/,
  spec: /\.yaml$/,
  scenarios: /\.yaml$/,
};

const files = [
  ...Object.entries(folders).flatMap(([folder, wanted]) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => wanted.test(file))
      .map((file) => path.join(folder, file)),
  ),
  'README.md',
  'ARCHITECTURE.md',
];

function findBanned(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      banned.flatMap(([word, better]) =>
        [...line.matchAll(word)].map(([found]) => `line ${index + 1}: "${found}": ${better}`),
      ),
    );
}

test.each(files)('%s uses no banned word', (file) => {
  expect(findBanned(readFileSync(file, 'utf8'))).toEqual([]);
});

test.each([
  ['the client is told of it', 'told'],
  ['usually 4600', 'usually'],
  ['const mostEntries = 5;', 'mostEntries'],
])('it is found: %s', (text, word) => {
  expect(findBanned(text)).toEqual([expect.stringContaining(`line 1: "${word}"`)]);
});
