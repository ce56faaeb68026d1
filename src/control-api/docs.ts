/** Control API handlers for the documentation as Markdown, with the methods and paths of the running profile. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import apiSource from '../../spec/openapi.yaml';
import type { ApiDocument } from '../openapi/api-document.ts';
import { buildRequest } from '../openapi/build-request.ts';
import { type Contract, createContract } from '../openapi/contract.ts';
import { shippedProfile } from '../openapi/profile/profile.ts';
import { type ControlHandlers, type ControlParts, ok, reject } from './handler.ts';

/** The pages of the package: next to `dist`, or above `src` if the server runs from its sources. */
const folder = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../docs/' : '../docs/', import.meta.url));

const markdownHeaders = { 'content-type': 'text/markdown; charset=utf-8' };

/** Lists the pages, such as `guides/agents.md`, the index first. None if the package was installed without them. */
async function listPages(): Promise<readonly string[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const pages = files.filter((file) => file.endsWith('.md')).map((file) => file.split(path.sep).join('/'));
  return pages.sort(
    (one, other) => Number(other === 'index.md') - Number(one === 'index.md') || (one < other ? -1 : 1),
  );
}

interface Page {
  readonly page: string;
  readonly text: string;
}

async function readPages({ contract, profile }: ControlParts, pages: readonly string[]): Promise<readonly Page[]> {
  const toFitted = profile === shippedProfile ? (text: string) => text : createFitting(contract);
  return Promise.all(
    pages.map(async (page) => {
      const up = '\\.\\./'.repeat(page.split('/').length);
      const outerLink = new RegExp(`\\[([^\\]\\n]*)\\]\\(${up}([^)\\n]*)\\)`, 'g');
      return { page, text: toFitted((await readFile(path.join(folder, page), 'utf8')).replace(outerLink, toServed)) };
    }),
  );
}

/** Returns what replaces a link to a file outside of the pages: a link to its content here, or else the text alone. */
function toServed(_link: string, text: string, file: string): string {
  const [, folder, name] = /^(spec|scenarios)\/([\w-]+)\.yaml$/.exec(file) ?? [];
  if (name === undefined || name === 'profile') return text;
  return `[${text}](/_sandbox/${folder === 'spec' ? `${name}.json` : `scenarios/${name}`})`;
}

/** A path of the shipped API, maybe with variables, and the method before it in the same line: `-X POST http://…/sync/…`. */
const shippedPath =
  /(?:\b(GET|POST|PUT|PATCH|DELETE)\b[^\n]{0,60}?)?(?<!_sandbox)(\/(?:async|sync|projects)\/[\w${}/.-]*\w\}?)/g;

/** Returns a function that replaces the methods and paths of the shipped API in a text with those of the running profile. */
function createFitting({ operations }: Contract): (text: string) => string {
  const shipped = createContract(apiSource as ApiDocument);
  const toRunning = (method: string, url: string) => {
    const match = shipped.match(method, url);
    const operation = match.found ? operations.get(match.operation.id) : undefined;
    return match.found && operation ? buildRequest(operation, match.params, {}) : undefined;
  };
  return (text) =>
    text.replace(shippedPath, (all: string, method = '', url = '') => {
      const methods = method === '' ? ['POST', 'PATCH'] : [method];
      const fitted = methods.map((one) => toRunning(one, url)).find((one) => one !== undefined);
      if (!fitted) return all;
      const start = method === '' ? '' : fitted.method;
      return start + all.slice(method.length, -url.length) + decodeURIComponent(fitted.url);
    });
}

/** A heading and the text below it. */
interface Section {
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** Splits a page at its headings; a comment in a block of code is none. */
function toSections({ page, text }: Page): readonly Section[] {
  const sections: { page: string; heading: string; text: string }[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#+ (.*)/.exec(line)?.[1];
    const last = sections.at(-1);
    if (heading !== undefined || !last) sections.push({ page, heading: heading ?? page, text: '' });
    else last.text += `${line}\n`;
  }
  return sections;
}

/** Maximum length of a passage, in characters. */
const maxPassage = 1500;
/** How much more a word in a heading counts than one in the text. */
const headingWeight = 5;

/** Words of questions that say nothing about their subject. */
const fillers: ReadonlySet<string> = new Set(
  'a an and another are as at be by can do does each every for from get give has have how i if in is it its make me my no not of on or our should so that the their there they this to under use used was we what when where which why will with you your'.split(
    ' ',
  ),
);

/** Returns the words of a query without their endings, because passages may have other forms of them. */
function toWords(query: string): readonly string[] {
  const all = query.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu) ?? [];
  // The only word may be a key of scenarios, such as `when`.
  const words = all.every((word) => fillers.has(word)) ? all : all.filter((word) => !fillers.has(word));
  return [...new Set(words.map((word) => word.replace(/(?<=.{3})(i?e[sd]|y?ing|[esy])$/, '')))];
}

/** Returns a section around its rarest word, and how well it matches: the words that it has first, then how often. */
function rate({ page, heading, text }: Section, words: readonly string[]) {
  const lower = text.toLowerCase();
  const countOf = (word: string): number => lower.split(word).length;
  const title = `${heading} ${page}`.toLowerCase();
  const found = words.map((word) => Math.min(3, countOf(word) - 1) + (title.includes(word) ? headingWeight : 0));
  const [rarest = ''] = words.filter((word) => lower.includes(word)).sort((a, b) => countOf(a) - countOf(b));
  const first = lower.indexOf(rarest);
  const from = text.length <= maxPassage ? 0 : text.lastIndexOf('\n', Math.max(0, first - maxPassage / 4)) + 1;
  // Ends with a whole line, such as a row of a table.
  const to = text.length - from <= maxPassage ? text.length : text.lastIndexOf('\n', from + maxPassage);
  // Pages for contributors come last.
  const weight = page.startsWith('contributing/') ? 0.5 : 1;
  const score = weight * found.reduce((sum, number) => sum + number + (number > 0 ? 100 : 0), 0);
  return { score, passage: { page, heading, text: text.slice(from, to).trim() } };
}

/** Returns the first paragraph of a page in one line. */
function toAbout(text: string): string {
  const paragraph = text.split('\n\n').find((part) => /^[A-Z`]/.test(part)) ?? '';
  return paragraph.replaceAll('\n', ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

async function getPage(parts: ControlParts, page: string) {
  const pages = await listPages();
  const [found] = pages.includes(page) ? await readPages(parts, [page]) : [];
  if (!found) return reject('notFound', `there is no page "${page}": GET /_sandbox/llms.txt lists them`);
  return { status: 200, text: found.text, headers: markdownHeaders } as const;
}

export const docsHandlers: ControlHandlers<'getLlms' | 'searchDocs' | 'getDocsPage' | 'getDocsSectionPage'> = {
  getLlms: async (parts) => {
    const lines = (await readPages(parts, await listPages())).map(({ page, text }) => {
      const [title = page] = text.split('\n');
      return `- [${title.replace(/^# /, '')}](/_sandbox/docs/${page}): ${toAbout(text)}`;
    });
    const text = `# field-sandbox\n\n> ${about}\n\n## Pages\n\n${lines.join('\n')}\n`;
    return { status: 200, text, headers: { 'content-type': 'text/plain; charset=utf-8' } };
  },
  searchDocs: async (parts, { query: { query, limit = 20 } }) => {
    const sections = (await readPages(parts, await listPages())).flatMap(toSections);
    if (query === undefined) {
      const first = sections.filter(({ page }, index) => sections[index - 1]?.page !== page);
      return ok({ items: first.map(({ page, heading, text }) => ({ page, heading, text: toAbout(text) })) });
    }
    const words = toWords(query);
    const rated = sections.map((section) => rate(section, words)).filter(({ score }) => score > 0);
    const best = rated.toSorted((one, other) => other.score - one.score).slice(0, limit);
    return ok({ items: best.map(({ passage }) => passage) });
  },
  getDocsPage: (parts, { params }) => getPage(parts, params.page),
  getDocsSectionPage: (parts, { params }) => getPage(parts, `${params.section}/${params.page}`),
};

const about =
  'A sandbox of a field-service API: it plays every operation, explains every mistake, and produces every failure on purpose. Agents call its tools with `field-sandbox mcp` or at POST /_sandbox/mcp. /_sandbox/openapi.json describes the API, /_sandbox/control.json the control API.';
