/** Reads a YAML (or JSON) text by a schema, and says where in it each problem stands; knows nothing of what it is for. */
import { type Document, isAlias, isCollection, isMap, isScalar, isSeq, LineCounter } from 'yaml';
import type { z } from 'zod';
import { excerpt, withoutControls } from './line-excerpt.ts';
import { checkValue, type Finding } from './schema-issue.ts';
import { checkNodes, forbiddenKey, keyText, type Path, type Problem, startOf } from './yaml-nodes.ts';
import { parseBounded } from './yaml-parse.ts';
import { syntaxProblems } from './yaml-words.ts';

/** One problem of a file. Line and column count from 1, `path` is a JSON Pointer to what it is about. */
export interface Issue {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly path: string;
}

/** What a file says, or every problem it has. */
export type YamlResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly isCut?: boolean };

// Files are untrusted (anyone may PUT a scenario): what reading one costs is bounded.
const longestText = 262_144;
const mostIssues = 100;

/** What the last of a hundred issues says where there are more. */
export const moreToCome = 'and there are more mistakes, which are told once these are mended';

// Editors do not count a byte order mark, so neither does a column.
const byteOrderMark = /^\ufeff/;
// What decoding puts in place of bytes that are no UTF-8.
const undecoded = /[\0\ufffd]/;

/**
 * The typed value of a text, or its issues in the order of the text, at most 100 of them; where there are more, the last says so.
 * A text that is no YAML is not checked against the schema; `file` is only the name to show.
 */
export function readYaml<T>(text: string, file: string, schema: z.ZodType<T>): YamlResult<T> {
  const lines = new LineCounter();
  const read = readText(text.replace(byteOrderMark, ''), lines, schema);
  if (read.ok) return read;
  const issues = read.problems.map(({ offset, message, path }): Issue => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), message, path: toPointer(path) };
  });
  issues.sort((a, b) => a.line - b.line || a.column - b.column);
  // What stands behind an alias is wrong in each place that names it.
  const isNew = (issue: Issue, index: number) => {
    const before = issues[index - 1];
    return before?.line !== issue.line || before.column !== issue.column || before.message !== issue.message;
  };
  const told = issues.filter(isNew);
  const last = told[mostIssues - 2] ?? told.at(-1);
  if (!read.isCut || !last) return { ok: false, issues: told };
  return { ok: false, issues: [...told.slice(0, mostIssues - 1), { ...last, message: moreToCome }] };
}

/** An issue for people: `file:line:column  message`, the line of the text, and a caret under the place. */
export function formatIssue(issue: Issue, text: string): string {
  const head = `${issue.file}:${issue.line}:${issue.column}  ${withoutControls(issue.message)}`;
  const line = text.replace(byteOrderMark, '').split('\n')[issue.line - 1] ?? '';
  return [head, ...excerpt(line, issue.column).map((one) => `    ${one}`)].join('\n');
}

/** The keys at the top of a text, as far as it can be read at all. */
export function topKeys(text: string): readonly string[] {
  if (text.length > longestText) return [];
  const parsed = parseBounded(text.replace(byteOrderMark, ''), new LineCounter());
  if (!('document' in parsed) || !isMap(parsed.document.contents)) return [];
  return parsed.document.contents.items.map(({ key }) => keyText(key) ?? '');
}

function readText<T>(text: string, lines: LineCounter, schema: z.ZodType<T>): Read<T> {
  if (text.length > longestText) return refused(`longer than ${longestText} characters`);
  const bad = text.search(undecoded);
  if (bad >= 0) return refused('expected text in UTF-8, and here is another encoding', lineUp(text, lines, bad));
  const parsed = parseBounded(text, lines);
  if ('tooDeepAt' in parsed) return refused('nested too deeply to be read', parsed.tooDeepAt);
  return readDocument(parsed.document, text, schema);
}

/** Counts the lines of a text that is not parsed; gives back the offset. */
function lineUp(text: string, lines: LineCounter, offset: number): number {
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return offset;
}

function readDocument<T>(document: Document, text: string, schema: z.ZodType<T>): Read<T> {
  const broken = syntaxProblems(document, text);
  if (broken.length > 0) return cut(broken);
  if (document.contents === null) return refused('the file is empty');
  const { problems, isValue } = checkNodes(document.contents);
  if (!isValue) return cut(problems);
  // checkNodes has counted what aliases come to.
  const checked = checkValue(document.toJS({ maxAliasCount: -1 }), schema);
  if (checked.ok && problems.length === 0) return checked;
  const findings = checked.ok ? [] : checked.findings.filter(({ path }) => path.at(-1) !== forbiddenKey);
  const all = [...problems, ...findings.map((finding) => locate(document, finding))];
  return cut(all, !checked.ok && checked.isCut);
}

/** `isCut`: there are more than these already. */
function cut(problems: readonly Problem[], isCut = false): Read<never> {
  return { ok: false, problems: problems.slice(0, mostIssues), isCut: isCut || problems.length > mostIssues };
}

function refused(message: string, offset = 0): Read<never> {
  return { ok: false, problems: [{ offset, message, path: [] }] };
}

/** Walks the nodes along a finding's path, through aliases, and stops where the text has no more of it. */
function locate(document: Document, finding: Finding): Problem {
  let node: unknown = document.contents;
  let key: unknown = node;
  for (const segment of finding.path) {
    const at: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isMap(at)) {
      const pair = at.items.find((item) => keyText(item.key) === String(segment));
      if (!pair) break;
      key = pair.key;
      node = pair.value;
    } else if (isSeq(at)) {
      node = at.items[Number(segment)];
      key = node;
    } else break;
  }
  // An empty value has no place of its own.
  const empty = !isAlias(node) && !isCollection(node) && !(isScalar(node) && node.source !== '');
  const offset = startOf(finding.at === 'key' || empty ? key : node);
  return { offset, message: finding.message, path: finding.path };
}

function toPointer(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
