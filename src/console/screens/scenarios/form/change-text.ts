/** Changes values in the text of a scenario. Comments and everything else stay as they are. */
import { Document, isMap, isScalar, isSeq, parse, parseDocument, type YAMLMap } from 'yaml';
import type { InlineScenario } from '../schema.ts';
import type { Entries, FieldTest, Requests, TimeSpan } from './scenario-form.ts';

type Path = readonly (string | number)[];

/** Order of the keys of a scenario and of a rule, for keys that are added. */
const keyOrder: readonly string[] = [
  ...['name', 'description', 'seed', 'priority', 'rules', 'expect'],
  ...['scope', 'when', 'chance', 'times', 'then'],
];

/** A rule of a new scenario. */
export const newRule = { when: { operation: 'asyncImportJobs', item: 1 }, then: { respond: { status: 503 } } };

/** Sets the values at paths. Undefined removes the value, and its parent if that is empty then. */
export function setValues(text: string, ...changes: readonly (readonly [path: Path, value: unknown])[]): string {
  return change(text, (document) => {
    for (const [path, value] of changes) setValue(document, path, value);
  });
}

export function addRule(text: string, rule: object = newRule): string {
  return change(text, (document) => {
    const node = document.createNode(rule);
    // A rule is a block with one line for each part.
    if (isMap(node)) for (const { value } of node.items) makeFlow(value);
    if (isSeq(document.get('rules'))) document.addIn(['rules'], node);
    else document.set('rules', document.createNode([node]));
  });
}

export function removeRule(text: string, index: number): string {
  return change(text, (document) => document.deleteIn(['rules', index]));
}

/** Returns the changes that select entries, for a rule at this path. */
export function entryChanges(rule: Path, entries: Entries): readonly (readonly [Path, unknown])[] {
  return [[[...rule, 'when', 'item'], toItem(entries)]];
}

function toItem(entries: Entries): unknown {
  switch (entries.kind) {
    case 'numbers':
      return entries.numbers.length === 1 ? entries.numbers[0] : entries.numbers;
    case 'every':
      return { every: entries.every };
    case 'ids':
      return { id: entries.ids.length === 1 ? entries.ids[0] : entries.ids };
    default:
      return undefined;
  }
}

/** Returns the changes that select requests, for a rule at this path. */
export function requestChanges(rule: Path, requests: Requests): readonly (readonly [Path, unknown])[] {
  const times: Path = [...rule, 'times'];
  const condition: Path = [...rule, 'when', 'request'];
  switch (requests.kind) {
    case 'all':
      return [
        [times, undefined],
        [condition, undefined],
      ];
    case 'first':
      return [
        [times, requests.count],
        [condition, undefined],
      ];
    case 'nth':
      return [[condition, { nth: requests.nth }]];
    case 'every':
      return [[condition, { every: requests.every }]];
    case 'range':
      return [[condition, { from: requests.from, ...(requests.to !== undefined && { to: requests.to }) }]];
  }
}

export function toDuring({ after, afterRequests, for: length }: TimeSpan): unknown {
  return {
    ...(after !== undefined && { after }),
    ...(afterRequests !== undefined && { afterRequests }),
    ...(length !== undefined && { for: length }),
  };
}

export function toMatcher({ test, value }: FieldTest): unknown {
  return test === 'is' ? value : { [test]: value };
}

function change(text: string, edit: (document: Document) => void): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  edit(document);
  return document.toString({ lineWidth: 0 });
}

function setValue(document: Document, path: Path, value: unknown): void {
  const parents = path.slice(0, -1);
  if (value === undefined) {
    if (document.hasIn(path)) document.deleteIn(path);
    if (isEmptyMap(document.getIn(parents)) && parents.length > 0) setValue(document, parents, undefined);
    return;
  }
  const existing = document.getIn(path, true);
  // Keeps the style and the comments of the value.
  if (isScalar(existing) && (typeof value !== 'object' || value === null)) {
    if (typeof existing.value !== typeof value) delete existing.type;
    existing.value = value;
    delete existing.source;
    return;
  }
  const parent = document.getIn(parents, true);
  const key = path.at(-1);
  if (!isMap(parent)) setValue(document, parents, { [String(key)]: value });
  else {
    parent.set(key, document.createNode(value, { flow: true }));
    sortKeys(parent);
  }
}

function isEmptyMap(node: unknown): boolean {
  return isMap(node) && node.items.length === 0;
}

function makeFlow(node: unknown): void {
  if (!isMap(node) && !isSeq(node)) return;
  node.flow = true;
  for (const item of node.items) makeFlow(isMap(node) ? (item as { readonly value: unknown }).value : item);
}

/** Moves a key that was added at the end to its place. Keys that are not in the order stay. */
function sortKeys(map: YAMLMap): void {
  const added = map.items.at(-1);
  const rank = keyOrder.indexOf(String(added?.key));
  if (!added || rank < 0) return;
  const at = map.items.findIndex(({ key }) => keyOrder.indexOf(String(key)) > rank);
  if (at >= 0) map.items.splice(at, 0, ...map.items.splice(-1));
}

/** Writes a scenario as text, with one line for each part of a rule. */
export function toYaml(scenario: Readonly<Record<string, unknown>>): string {
  const document = new Document(scenario);
  for (const key of ['rules', 'expect']) {
    const list = document.get(key);
    if (!isSeq(list)) continue;
    for (const item of list.items) if (isMap(item)) for (const { value } of item.items) makeFlow(value);
  }
  return document.toString({ lineWidth: 0 });
}

/** Returns the value of a text that the sandbox found valid. */
export function readScenario(text: string): InlineScenario {
  return parse(text) as InlineScenario;
}
