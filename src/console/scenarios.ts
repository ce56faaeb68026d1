/** What screens share of scenarios: the starters, unsaved texts, and their activation. */
import { type Signal, signal } from '@preact/signals';
import { callApi, isLoginRequired, projectPath } from './api.ts';
import { confirmed } from './parts/dialog.tsx';
import { linkTo } from './route.ts';
import { attempt } from './state.ts';

/** Unsaved texts by the name of the opened scenario; of a new one: `new`. They are kept until the session ends. */
export const drafts: Signal<ReadonlyMap<string, string>> = signal(new Map());

isLoginRequired.subscribe((isRequired) => {
  if (isRequired) drafts.value = new Map();
});

/** Keeps a text; undefined removes it. */
export function keepDraft(name: string, text: string | undefined): void {
  const next = new Map(drafts.value);
  if (text === undefined) next.delete(name);
  else next.set(name, toEdited(text));
  drafts.value = next;
}

/** Returns a text as the editor has it, with no line breaks of Windows. */
export function toEdited(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Returns the name in a text, or an empty text if it has none. */
export function nameOf(text: string): string {
  const found = /^name:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#]+))/m.exec(text);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
}

/** Path of a scenario of the library, else one that is active in the project, else a failure of the catalog. */
export function scenarioPath(name: string, project = ''): string {
  return `/scenarios/${encodeURIComponent(name)}${project === '' ? '' : `?${new URLSearchParams({ project })}`}`;
}

/** Opens a text as a new scenario. Asks first if this replaces another one. With an empty text, a starter is proposed. */
export async function openDraft(text: string, from = ''): Promise<void> {
  const unsaved = drafts.value.get('new') ?? '';
  const question = {
    title: `Discard the unsaved ${nameOf(unsaved) || 'scenario'}?`,
    text: 'A new scenario replaces it.',
    action: 'Discard',
  };
  if (unsaved !== '' && unsaved !== text && !(await confirmed(question))) return;
  keepDraft('new', text === '' ? undefined : text);
  location.hash = linkTo('scenarios', { edit: 'new', from });
}

/** Deletes a scenario of the library after a question. Returns whether it was deleted. */
export async function removeScenario(name: string): Promise<boolean> {
  const question = {
    title: `Delete ${name}?`,
    text: 'The library no longer has it. Projects in which it is active keep it.',
    action: 'Delete',
  };
  if (!(await confirmed(question))) return false;
  return attempt(`Deleted ${name}.`, () => callApi('DELETE', scenarioPath(name)));
}

function pathOf(project: string | undefined, name: string): string {
  const path = `/scenarios/${encodeURIComponent(name)}`;
  return project === undefined ? `/server${path.replace('/', '-')}` : projectPath(project, path);
}

/**
 * Activates a scenario before those that are active, or arms it again. Without a project, for all projects. `text`: of one
 * that the library does not have.
 */
export function activate(project: string | undefined, name: string, text?: string): Promise<void> {
  return callApi('PUT', pathOf(project, name), text, text === undefined ? undefined : 'application/yaml');
}

export function deactivate(project: string | undefined, name: string): Promise<void> {
  return callApi('DELETE', pathOf(project, name));
}

export interface Starter {
  /** Name of its scenario, and its value in the link. */
  readonly name: string;
  readonly title: string;
  /** Further words that find it. */
  readonly words: string;
  /** The rule, as lines of YAML. */
  readonly rule: readonly string[];
}

const fail = 'fail: Address could not be geocoded, after: 2s';

const firstEntries: Starter = {
  name: 'first-entries-fail',
  title: 'the 1st entry of each import fails after 2 s',
  words: 'make let first job every request',
  rule: ['when: { operation: asyncImportJobs, item: 1 }', `then: { ${fail} }`],
};

/** Ready-made scenarios. A link opens each of them as a new scenario. */
export const starters: readonly Starter[] = [
  {
    name: 'third-entry-fails',
    title: 'the 3rd entry of the next request fails',
    words: 'make let third job import',
    rule: ['when: { operation: asyncImportJobs, item: 3 }', 'times: 1', `then: { ${fail} }`],
  },
  firstEntries,
  {
    name: 'next-request-503',
    title: 'the next request is rejected with 503',
    words: 'make let fail unavailable outage error',
    rule: ['times: 1', 'then: { respond: { status: 503 } }'],
  },
  {
    name: 'callback-twice',
    title: 'a callback is sent twice',
    words: 'make let fail duplicate copies again webhook',
    rule: ['when: { operation: asyncImportJobs, item: 1 }', `then: { ${fail}, callback: { copies: 2 } }`],
  },
];

/** Returns the text of a new scenario: of a starter, or of one to be changed. */
export function newText(from = ''): string {
  const chosen = starters.find(({ name }) => name === from);
  if (!chosen) return `${withoutRules}${toItem(firstEntries.rule)}`;
  const { name, title, rule } = chosen;
  return `name: ${name}\ndescription: ${title}\nrules:\n${toItem(rule)}`;
}

export const withoutRules = 'name: my-scenario\nrules:\n';

function toItem(rule: readonly string[], indent = '  '): string {
  return rule.map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}\n`).join('');
}

const inBrackets = 'Not added: the rules of this text are in brackets. Write each on lines of its own, after a dash.';

/** Returns a text with one more rule, after the others and indented like them. Comments above the next key stay there. */
export function withRule(text: string, rule: readonly string[]): string {
  const block = text.replace(/^rules:[ \t]*\[\s*\]/m, 'rules:');
  const lines = block.trimEnd().split('\n');
  const start = lines.findIndex((line) => /^rules:/.test(line));
  if (/^rules:\s*[^\s#]/.test(lines[start] ?? '')) throw new Error(inBrackets);
  if (start < 0) return `${lines.join('\n')}\nrules:\n${toItem(rule)}`;
  const next = lines.findIndex((line, index) => index > start && /^[^\s#-]/.test(line));
  const rules = lines.slice(0, next < 0 ? lines.length : next);
  const at = rules.findLastIndex((line) => /^(?!#).*\S/.test(line)) + 1;
  const [, indent] = /^( *)-\s/m.exec(rules.slice(start).join('\n')) ?? [];
  return [...lines.slice(0, at), toItem(rule, indent).trimEnd(), ...lines.slice(at), ''].join('\n');
}
