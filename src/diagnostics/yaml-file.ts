/** Parses a YAML or JSON text, checks it against a schema, and locates each problem in the text. */
import { type Document, isAlias, isCollection, isMap, isScalar, isSeq, LineCounter } from 'yaml';
import type { z } from 'zod';
import { excerpt, withoutControls } from './line-excerpt.ts';
import { checkValue, type SchemaFinding } from './schema-issue.ts';
import { syntaxProblems } from './syntax-errors.ts';
import { checkNodes, forbiddenKey, keyText, type NodePath, startOf, type YamlProblem } from './yaml-nodes.ts';
import { parseBounded } from './yaml-parse.ts';

/** One problem of a file. Line and column are 1-based; `path` is a JSON Pointer to the affected value. */
export interface Issue {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly path: string;
}

/** The value of a file, or its issues. */
export type YamlResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly YamlProblem[]; readonly isCut?: boolean };

// Files are untrusted (anyone may PUT a scenario), so the cost of reading one is limited.
export const maxTextLength = 262_144;
const maxIssues = 100;

/** Message of the 100th issue if there are more. */
export const moreToCome = 'and there are more mistakes, which are reported once these are fixed';

// Editors do not count a byte order mark, so neither does a column.
const byteOrderMark = /^\ufeff/;
// A NUL, or the replacement character that decoding inserts for invalid UTF-8.
const undecoded = /[\0\ufffd]/;

/**
 * Returns the typed value of a text, or at most 100 issues in text order; the last one says if there are more.
 * A text that is not valid YAML is not checked against the schema. `file` is only the name to show.
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
  // A problem inside an anchored value is found once per alias.
  const isNew = (issue: Issue, index: number) => {
    const before = issues[index - 1];
    return before?.line !== issue.line || before.column !== issue.column || before.message !== issue.message;
  };
  const distinct = issues.filter(isNew);
  const last = distinct[maxIssues - 2] ?? distinct.at(-1);
  if (!read.isCut || !last) return { ok: false, issues: distinct };
  return { ok: false, issues: [...distinct.slice(0, maxIssues - 1), { ...last, message: moreToCome }] };
}

/** Formats an issue for a terminal: `file:line:column  message`, the line of the text, and a caret below the column. */
export function formatIssue(issue: Issue, text: string): string {
  const head = `${issue.file}:${issue.line}:${issue.column}  ${withoutControls(issue.message)}`;
  const line = text.replace(byteOrderMark, '').split('\n')[issue.line - 1] ?? '';
  return [head, ...excerpt(line, issue.column).map((one) => `    ${one}`)].join('\n');
}

/** Returns the top-level keys of a text; empty if it cannot be parsed. */
export function topKeys(text: string): readonly string[] {
  if (text.length > maxTextLength) return [];
  const parsed = parseBounded(text.replace(byteOrderMark, ''), new LineCounter());
  if (!('document' in parsed) || !isMap(parsed.document.contents)) return [];
  return parsed.document.contents.items.map(({ key }) => keyText(key) ?? '');
}

function readText<T>(text: string, lines: LineCounter, schema: z.ZodType<T>): Read<T> {
  if (text.length > maxTextLength) return invalid(`longer than ${maxTextLength} characters`);
  const invalidOffset = text.search(undecoded);
  if (invalidOffset >= 0)
    return invalid('expected text in UTF-8, and here is another encoding', addLinesUpTo(text, lines, invalidOffset));
  const parsed = parseBounded(text, lines);
  if ('tooDeepAt' in parsed) return invalid('nested too deeply to be read', parsed.tooDeepAt);
  return readDocument(parsed.document, text, schema);
}

/** Registers the line starts before an offset of an unparsed text; returns the offset. */
function addLinesUpTo(text: string, lines: LineCounter, offset: number): number {
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return offset;
}

function readDocument<T>(document: Document, text: string, schema: z.ZodType<T>): Read<T> {
  const syntaxErrors = syntaxProblems(document, text);
  if (syntaxErrors.length > 0) return toResult(syntaxErrors);
  if (document.contents === null) return invalid('the file is empty');
  const { problems, isValue } = checkNodes(document.contents);
  if (!isValue) return toResult(problems);
  // checkNodes has already limited the size of the values that aliases repeat.
  const checked = checkValue(document.toJS({ maxAliasCount: -1 }), schema);
  if (checked.ok && problems.length === 0) return checked;
  const findings = checked.ok ? [] : checked.findings.filter(({ path }) => path.at(-1) !== forbiddenKey);
  const all = [...problems, ...findings.map((finding) => locate(document, finding))];
  return toResult(all, !checked.ok && checked.isCut);
}

/** Creates a result of at most 100 problems. `isCut`: the list is already truncated. */
function toResult(problems: readonly YamlProblem[], isCut = false): Read<never> {
  return { ok: false, problems: problems.slice(0, maxIssues), isCut: isCut || problems.length > maxIssues };
}

function invalid(message: string, offset = 0): Read<never> {
  return { ok: false, problems: [{ offset, message, path: [] }] };
}

/** Finds the text position of a finding: follows its path, through aliases, as far as the text has nodes for it. */
function locate(document: Document, finding: SchemaFinding): YamlProblem {
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
  // An empty value has no position, so its key is used.
  const empty = !isAlias(node) && !isCollection(node) && !(isScalar(node) && node.source !== '');
  const offset = startOf(finding.at === 'key' || empty ? key : node);
  return { offset, message: finding.message, path: finding.path };
}

function toPointer(path: NodePath): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
