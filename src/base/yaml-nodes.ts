/** Finds in the nodes of a YAML document what no schema can see; knows of no schema. */
import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, Scalar } from 'yaml';
import { show } from './issue-words.ts';

/** The keys and indices that lead to a value. */
export type Path = readonly PropertyKey[];

/** Something wrong at a place of the text, counted in characters. */
export interface Problem {
  readonly offset: number;
  readonly message: string;
  readonly path: Path;
}

/** What the nodes of a document come to. */
export interface CheckedNodes {
  readonly problems: readonly Problem[];
  /** False where they make no value, or one that is too large. */
  readonly isValue: boolean;
}

/** Nothing that reads a file expects this key, and assigning to it changes an object's prototype. */
export const forbiddenKey = '__proto__';

const deepest = 100;
// Finding what an alias stands for looks through all names before it.
const mostNames = 10_000;
// As many as a text without aliases could have.
const mostValues = 262_144;

interface State {
  readonly problems: Problem[];
  /** How many values each name stands for, of those whose node has ended. */
  readonly anchors: Map<string, number>;
  values: number;
  names: number;
  isValue: boolean;
}

/**
 * Finds what the schema cannot see: keys that stand twice or have no place in JSON, numbers that were probably no
 * numbers, aliases without an anchor before them (a node within itself would be a value that JSON cannot write), more
 * levels, names or values than a file needs.
 */
export function checkNodes(root: unknown): CheckedNodes {
  const state: State = { problems: [], anchors: new Map(), values: 0, names: 0, isValue: true };
  checkNode(root, [], state);
  return { problems: state.problems, isValue: state.isValue };
}

function checkNode(node: unknown, path: Path, state: State): void {
  const before = state.values;
  state.values += 1;
  if (isAlias(node)) checkAlias(node, path, state);
  if (path.length > deepest) {
    stop(node, `nested more than ${deepest} levels deep`, state);
    return;
  }
  const anchor = isNode(node) && !isAlias(node) ? node.anchor : undefined;
  if (anchor) {
    countName(node, state);
    // Within itself a node's name means the node itself, even where it meant another before.
    state.anchors.delete(anchor);
  }
  if (isSeq(node)) for (const [index, item] of node.items.entries()) checkNode(item, [...path, index], state);
  if (isMap(node)) checkMapping(node.items, path, state);
  if (isScalar(node)) checkScalar(node, path, state);
  if (anchor) state.anchors.set(anchor, state.values - before);
}

function stop(node: unknown, message: string, state: State): void {
  // The first says it all: what follows may be as large again.
  if (state.isValue) state.problems.push({ offset: startOf(node), message, path: [] });
  state.isValue = false;
}

function checkAlias(node: Node & { readonly source: string }, path: Path, state: State): void {
  const size = state.anchors.get(node.source);
  if (size === undefined) {
    const message = `no anchor &${node.source} stands before this alias (text that begins with * needs quotes)`;
    state.problems.push({ offset: startOf(node), message, path });
    state.isValue = false;
    return;
  }
  countName(node, state);
  state.values += size;
  if (state.values > mostValues) stop(node, `aliases repeat more than ${mostValues} values up to here`, state);
}

function countName(node: unknown, state: State): void {
  state.names += 1;
  if (state.names > mostNames) stop(node, `more than ${mostNames} anchors and aliases`, state);
}

function checkMapping(pairs: readonly Pair[], path: Path, state: State): void {
  const seen = new Set<string>();
  for (const { key, value } of pairs) {
    const name = keyText(key);
    if (name === undefined) {
      state.problems.push({
        offset: startOf(key),
        message: 'expected a plain key (text that begins with { or [ needs quotes)',
        path,
      });
      state.isValue = false;
      continue;
    }
    const problem = nameProblem(name, seen);
    if (problem) state.problems.push({ offset: startOf(key), message: problem, path: [...path, name] });
    seen.add(name);
    if (isNode(key) && key.anchor) checkNode(key, path, state);
    checkNode(value, [...path, name], state);
  }
}

function nameProblem(name: string, seen: ReadonlySet<string>): string | undefined {
  if (name === forbiddenKey) return `unknown key "${forbiddenKey}"`;
  return seen.has(name) ? `key ${show(name)} stands twice in one mapping` : undefined;
}

function checkScalar({ value, source, type, range }: Scalar, path: Path, state: State): void {
  if (typeof value !== 'number' || type !== Scalar.PLAIN || source === undefined) return;
  const say = (message: string) => state.problems.push({ offset: range?.[0] ?? 0, message, path });
  if (!Number.isFinite(value)) say(`${source} is no number of JSON`);
  // A postcode or an id, as a rule: the zeros would be lost.
  else if (/^[-+]?0\d/.test(source)) say(`${show(source)} without quotes is the number ${value} (quotes keep the 0)`);
}

/** A key as toJS spells it; undefined where it is no scalar. */
export function keyText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value ?? '') : undefined;
}

/** Where a node begins in the text. */
export function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
