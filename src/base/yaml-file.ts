/** Reads a YAML (or JSON) text by a schema, and says where in it each problem stands; knows nothing of what it is for. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type { z } from 'zod';
import { checkValue, type Finding } from './schema-issue.ts';
import { checkNodes, forbiddenKey, keyText, type Path, type Problem, startOf } from './yaml-nodes.ts';

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

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

// Files are untrusted (anyone may PUT a scenario): what reading one costs is bounded.
const longestText = 262_144;
const mostIssues = 100;
const tooDeep = 'nested too deeply to be read';
const widestLine = 120;

const ownWords: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'expected one document, and here begins a second',
  TAB_AS_INDENT: 'tabs cannot indent YAML, use spaces',
};

/**
 * The typed value of a text, or its issues in the order of the text, at most 100 of them.
 * A text that is no YAML is not checked against the schema; `file` is only the name to show.
 */
export function readYaml<T>(text: string, file: string, schema: z.ZodType<T>): YamlResult<T> {
  const lines = new LineCounter();
  const read = readText(text, lines, schema);
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
  return { ok: false, issues: issues.filter(isNew) };
}

/** An issue for people: `file:line:column  message`, the line of the text, and a caret under the place. */
export function formatIssue(issue: Issue, text: string): string {
  const head = `${issue.file}:${issue.line}:${issue.column}  ${issue.message}`;
  // Control characters would move the caret, or the reader's terminal.
  const line = (text.split('\n')[issue.line - 1] ?? '').replace(/\p{Cc}/gu, ' ').trimEnd();
  if (line === '') return head;
  const from = line.length > widestLine ? Math.max(0, issue.column - widestLine / 2) : 0;
  return `${head}\n    ${line.slice(from, from + widestLine)}\n    ${' '.repeat(issue.column - 1 - from)}^`;
}

function readText<T>(text: string, lines: LineCounter, schema: z.ZodType<T>): Read<T> {
  if (text.length > longestText) return refused(`longer than ${longestText} characters`);
  try {
    return readDocument(text, lines, schema);
  } catch (error) {
    // Deep nesting overflows a stack, too many aliases are a ReferenceError; all else is our bug.
    if (error instanceof RangeError) return refused(tooDeep);
    if (error instanceof ReferenceError && /alias/i.test(error.message)) return refused('too many aliases to be read');
    throw error;
  }
}

function readDocument<T>(text: string, lines: LineCounter, schema: z.ZodType<T>): Read<T> {
  // The fixed schema keeps a %YAML directive or a tag from making dates, sets and buffers; the check for equal keys of
  // the parser compares each with each, checkNodes is linear.
  const options = { schema: 'core', merge: false, resolveKnownTags: false, uniqueKeys: false } as const;
  const document = parseDocument(text, { ...options, lineCounter: lines, prettyErrors: false });
  const broken = [...document.errors, ...document.warnings];
  if (broken.some(({ message }) => /call stack/.test(message))) return refused(tooDeep);
  if (broken.length > 0) return { ok: false, problems: broken.slice(0, mostIssues).map(fromSyntax) };
  if (document.contents === null) return refused('the file is empty');
  const problems: Problem[] = [];
  if (!checkNodes(document.contents, [], problems, new Set())) {
    return { ok: false, problems: problems.slice(0, mostIssues) };
  }
  const checked = checkValue(document.toJS(), schema);
  if (checked.ok && problems.length === 0) return checked;
  const findings = checked.ok ? [] : checked.findings.filter(({ path }) => path.at(-1) !== forbiddenKey);
  problems.push(...findings.map((finding) => locate(document, finding)));
  return { ok: false, problems: problems.slice(0, mostIssues) };
}

function refused(message: string): Read<never> {
  return { ok: false, problems: [{ offset: 0, message, path: [] }] };
}

function fromSyntax(error: YAMLError): Problem {
  return { offset: error.pos[0], message: ownWords[error.code] ?? error.message, path: [] };
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
