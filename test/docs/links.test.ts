/** Links between pages: every file and every heading that a page links to exists, and the index links every page. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Returns the files of a folder with this ending, by their paths from the root. */
const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(folder, name));

const docs = filesIn('docs', '.md');
const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docs];

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(pages)('%s links to existing files and headings', (page) => {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  const broken = links.flatMap(([link, file = '', anchor]) => {
    const target = file === '' ? page : path.join(path.dirname(page), file);
    if (!existsSync(target)) return [link];
    return anchor === undefined || anchorsOf(target).includes(anchor) ? [] : [link];
  });
  expect(broken).toEqual([]);
});

test('the index links every page', () => {
  const index = readFileSync('docs/index.md', 'utf8');
  const missing = docs.filter((page) => !index.includes(`(${path.relative('docs', page)}`));
  expect(missing).toEqual(['docs/index.md']);
});

test('every page is played by a test', () => {
  const lists = filesIn('test/docs', '.test.ts').map((file) => readFileSync(file, 'utf8'));
  const isPlayed = (page: string): boolean =>
    lists.some((list) => list.includes(`'${page}'`) || list.includes(`testFolder('${path.dirname(page)}')`));
  expect(docs.filter((page) => !isPlayed(page))).toEqual([]);
});
