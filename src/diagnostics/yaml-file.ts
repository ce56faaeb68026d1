/** Parses a YAML or JSON text, checks it against a schema, and locates each problem in the text. */
import { type Alias, type Document, isAlias, isCollection, isMap, isScalar, isSeq, LineCounter, type Node } from 'yaml';
import type { z } from 'zod';
import { toPointer } from '../lib/pointer.ts';
import { runAll, type Steps } from '../lib/slices.ts';
import { excerpt, withoutControls } from './line-excerpt.ts';
import { checkValue, type Finding } from './schema-issue.ts';
import { syntaxProblems } from './syntax-errors.ts';
import { checkNodes, keyText, startOf, type YamlProblem } from './yaml-nodes.ts';
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

type Read<T> = { readonly value: T } | { readonly problems: readonly YamlProblem[] };

// Files are untrusted (anyone may PUT a scenario), so the cost of reading one is limited.
export const maxTextLength = 262_144;
const maxIssues = 100;

/** Message of the 100th issue if there are more. */
export const moreToCome = 'there are more mistakes; fix these to see them';

// Editors do not count a byte order mark, so neither does a column.
const byteOrderMark = /^\ufeff/;
// A NUL, or the replacement character that decoding inserts for invalid UTF-8.
const undecoded = /[\0\ufffd]/;

/**
 * Returns the typed value of a text, or at most 100 issues in text order; the last one says if there are more.
 * A text that is not valid YAML is not checked against the schema. `file` is only the name to show.
 */
export function readYaml<T>(text: string, file: string, schema: z.ZodType<T>): YamlResult<T> {
  return runAll(readYamlInSteps(text, file, schema));
}

/** As `readYaml`, in steps of which none holds the event loop for long, whatever the text is. */
export function* readYamlInSteps<T>(text: string, file: string, schema: z.ZodType<T>): Steps<YamlResult<T>> {
  const content = text.replace(byteOrderMark, '');
  const read = yield* readText(content, schema);
  if ('value' in read) return { ok: true, value: read.value };
  const lines = toLines(content);
  const problems = [...read.problems].sort((a, b) => a.offset - b.offset);
  // A problem inside an anchored value is found once per alias.
  const distinct = [...new Map(problems.map((problem) => [`${problem.offset} ${problem.message}`, problem])).values()];
  const issues = distinct.slice(0, maxIssues).map((problem, index) => {
    const isCut = index === maxIssues - 1 && distinct.length > maxIssues;
    return toIssue(isCut ? { ...problem, message: moreToCome } : problem, file, lines);
  });
  return { ok: false, issues };
}

function toIssue({ offset, message, path }: YamlProblem, file: string, lines: LineCounter): Issue {
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col, message, path: toPointer(path) };
}

type ValueFinding = Pick<Finding, 'path' | 'message'>;

/** Converts the first 100 findings about the values of a valid text to issues, in text order. */
export function locateValues(text: string, file: string, findings: readonly ValueFinding[]): readonly Issue[] {
  return runAll(locateInSteps(text, file, findings));
}

/** As `locateValues`, in steps of which none holds the event loop for long. */
export function* locateInSteps(text: string, file: string, findings: readonly ValueFinding[]): Steps<readonly Issue[]> {
  if (findings.length === 0) return [];
  const content = text.replace(byteOrderMark, '');
  const parsed = yield* parseBounded(content);
  if (!('document' in parsed)) return [];
  const lines = toLines(content);
  const { aliased } = checkNodes(parsed.document.contents);
  return findings
    .slice(0, maxIssues)
    .map(({ path, message }) => locate(parsed.document, aliased, { path, at: 'value', message }))
    .toSorted((a, b) => a.offset - b.offset)
    .map((problem) => toIssue(problem, file, lines));
}

/** Formats an issue for a terminal: `file:line:column  message`, the line of the text, and a caret below the column. */
export function formatIssue(issue: Issue, text: string, kind: 'mistake' | 'warning' = 'mistake'): string {
  const separator = kind === 'warning' ? ' warning: ' : '  ';
  const head = `${issue.file}:${issue.line}:${issue.column}${separator}${withoutControls(issue.message)}`;
  const line = text.replace(byteOrderMark, '').split('\n')[issue.line - 1] ?? '';
  return [head, ...excerpt(line, issue.column).map((one) => `    ${one}`)].join('\n');
}

/** Returns the top-level keys of a text; empty if it cannot be parsed. */
export function topKeys(text: string): readonly string[] {
  if (text.length > maxTextLength) return [];
  const parsed = runAll(parseBounded(text.replace(byteOrderMark, '')));
  if (!('document' in parsed) || !isMap(parsed.document.contents)) return [];
  return parsed.document.contents.items.map(({ key }) => keyText(key) ?? '');
}

function* readText<T>(text: string, schema: z.ZodType<T>): Steps<Read<T>> {
  if (text.length > maxTextLength) {
    const [maximum, actual] = [maxTextLength, text.length].map((length) => length.toLocaleString('en'));
    return invalid(`expected at most ${maximum} characters, got ${actual}`);
  }
  const invalidOffset = text.search(undecoded);
  if (invalidOffset >= 0) return invalid('expected UTF-8 text, got another encoding', invalidOffset);
  const parsed = yield* parseBounded(text);
  if (!('document' in parsed)) return invalid(parsed.limit, parsed.offset);
  return yield* readDocument(parsed.document, text, schema);
}

function* readDocument<T>(document: Document, text: string, schema: z.ZodType<T>): Steps<Read<T>> {
  yield;
  const syntaxErrors = syntaxProblems(document, text);
  if (syntaxErrors.length > 0) return { problems: syntaxErrors };
  if (document.contents === null) return invalid('the file is empty');
  const { problems, isValue, value, aliased } = checkNodes(document.contents);
  if (!isValue) return { problems };
  yield;
  const checked = checkValue(value, schema);
  if ('value' in checked) return problems.length === 0 ? checked : { problems };
  return { problems: [...problems, ...checked.findings.map((finding) => locate(document, aliased, finding))] };
}

function invalid(message: string, offset = 0): Read<never> {
  return { problems: [{ offset, message, path: [] }] };
}

function toLines(text: string): LineCounter {
  const lines = new LineCounter();
  for (let next = 0; next >= 0; next = text.indexOf('\n', next) + 1 || -1) lines.addNewLine(next);
  return lines;
}

/** Finds the text position of a finding: follows its path, through aliases, as far as the text has nodes for it. */
function locate(document: Document, aliased: ReadonlyMap<Alias, Node>, { path, at, message }: Finding): YamlProblem {
  let node: unknown = document.contents;
  let key: unknown = node;
  for (const segment of path) {
    const parent: unknown = isAlias(node) ? aliased.get(node) : node;
    if (isMap(parent)) {
      const pair = parent.items.find((item) => keyText(item.key) === String(segment));
      if (!pair) break;
      ({ key, value: node } = pair);
    } else if (isSeq(parent)) {
      node = parent.items[Number(segment)];
      key = node;
    } else break;
  }
  // An empty value has no position, so its key is used.
  const isEmpty = !isAlias(node) && !isCollection(node) && !(isScalar(node) && node.source !== '');
  return { offset: startOf(at === 'key' || isEmpty ? key : node), message, path };
}
