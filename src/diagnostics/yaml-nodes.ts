/** Checks the nodes of a YAML document for problems that a schema cannot detect. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  visit,
} from 'yaml';
import { show } from './issue-message.ts';

/** Keys and indices that lead to a value. */
export type Path = readonly PropertyKey[];

/** One problem of a text. `offset` is in characters. */
export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
  readonly path: Path;
}

/** A key that is always rejected: no schema expects it, and assigning to it changes the prototype of an object. */
export const forbiddenKey = '__proto__';

const maxDepth = 100;
/** Message for a text that is nested too deeply. */
export const tooManyLevels: string = `expected at most ${maxDepth} levels of nesting`;
// Resolving an alias searches all anchors and aliases before it.
const maxNames = 10_000;
// The maximum for a text without aliases.
const maxValues = 262_144;

interface State {
  readonly problems: YamlProblem[];
  /** Number of values for each anchor whose node is complete. */
  readonly anchors: Map<string, number>;
  values: number;
  names: number;
  /** False if the nodes do not form a value, or one that is too large. */
  isValue: boolean;
}

/**
 * Finds problems that a schema cannot detect: duplicate keys, keys that JSON does not allow, numbers that were probably
 * meant as text, aliases without an anchor before them (a node that contains itself has no JSON form), and too many
 * levels, names or values. `isValue` is false if the document has no value to check further.
 */
export function checkNodes(root: unknown): Pick<State, 'problems' | 'isValue'> {
  const state: State = { problems: [], anchors: new Map(), values: 0, names: 0, isValue: true };
  checkNode(root, [], state);
  return state;
}

function checkNode(node: unknown, path: Path, state: State): void {
  const before = state.values;
  state.values += 1;
  if (isAlias(node)) checkAlias(node, path, state);
  if (path.length > maxDepth) {
    stop(node, tooManyLevels, state);
    return;
  }
  const anchor = isNode(node) && !isAlias(node) ? node.anchor : undefined;
  if (anchor) {
    countName(node, state);
    // Inside a node, its anchor refers to the node itself, even if an earlier node has the same anchor.
    state.anchors.delete(anchor);
  }
  if (isSeq(node)) for (const [index, item] of node.items.entries()) checkNode(item, [...path, index], state);
  if (isMap(node)) checkMapping(node.items, path, state);
  if (isScalar(node)) checkScalar(node, path, state);
  if (anchor) state.anchors.set(anchor, state.values - before);
}

function stop(node: unknown, message: string, state: State): void {
  // Only the first limit is reported, because later ones have the same cause.
  if (state.isValue) state.problems.push({ offset: startOf(node), message, path: [] });
  state.isValue = false;
}

function checkAlias(node: Node & { readonly source: string }, path: Path, state: State): void {
  const size = state.anchors.get(node.source);
  if (size === undefined) {
    const message = `unknown anchor ${show(node.source)}: put text that begins with * in quotes`;
    state.problems.push({ offset: startOf(node), message, path });
    state.isValue = false;
    return;
  }
  countName(node, state);
  state.values += size;
  if (state.values > maxValues)
    stop(node, `expected at most ${maxValues.toLocaleString('en')} values; aliases repeat more`, state);
}

function countName(node: unknown, state: State): void {
  state.names += 1;
  if (state.names > maxNames)
    stop(node, `expected at most ${maxNames.toLocaleString('en')} anchors and aliases`, state);
}

function checkMapping(pairs: readonly Pair[], path: Path, state: State): void {
  const seen = new Set<string>();
  for (const { key, value } of pairs) {
    const name = keyText(key);
    if (name === undefined) {
      const message = 'expected text as key: put text that begins with { or [ in quotes';
      state.problems.push({ offset: startOf(key), message, path });
      state.isValue = false;
      continue;
    }
    const report = (message: string) => state.problems.push({ offset: startOf(key), message, path: [...path, name] });
    if (name === forbiddenKey) report(`unknown key "${forbiddenKey}"`);
    else if (seen.has(name)) report(`duplicate key ${show(name)}`);
    seen.add(name);
    if (isNode(key) && key.anchor) checkNode(key, path, state);
    checkNode(value, [...path, name], state);
  }
}

function checkScalar({ value, source, type, range }: Scalar, path: Path, state: State): void {
  if (typeof value !== 'number' || type !== Scalar.PLAIN || source === undefined) return;
  const report = (message: string) => state.problems.push({ offset: range?.[0] ?? 0, message, path });
  if (!Number.isFinite(value)) report(`${source} is not a JSON number`);
  // Probably a postcode or an id: the leading zeros would be lost.
  else if (/^[-+]?0\d/.test(source)) report(`put ${source} in quotes to keep the 0; without quotes it is ${value}`);
}

/** Returns a key as `toJS` writes it, or undefined if it is not a scalar. */
export function keyText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value ?? '') : undefined;
}

/** Finds the nodes of all aliases in one visit; `Alias.resolve` visits the whole document for each. */
export function findAliased(document: Document): ReadonlyMap<Alias, Node> {
  const anchored = new Map<string, Node>();
  const aliased = new Map<Alias, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        const found = anchored.get(node.source);
        if (found) aliased.set(node, found);
      } else if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
  });
  return aliased;
}

/** Returns the offset of a node in the text. */
export function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
