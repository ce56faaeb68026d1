/** Checks the nodes of a YAML document for problems that a schema cannot detect. */
import { type Alias, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, Scalar } from 'yaml';
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
const forbiddenKey = '__proto__';

const maxDepth = 100;
/** Message for a text that is nested too deeply. */
export const tooManyLevels: string = `expected at most ${maxDepth} levels of nesting`;
// The maximum for a text without aliases.
const maxSize = 262_144;

/** A node with an anchor: its value, and the size of that. */
interface Anchored {
  readonly node: Node;
  readonly value: unknown;
  readonly size: number;
}

interface State {
  readonly problems: YamlProblem[];
  /** Those whose node is complete. */
  readonly anchors: Map<string, Anchored>;
  readonly aliased: Map<Alias, Node>;
  /** Number of values so far, and of the characters of texts and keys beyond the first of each text. */
  size: number;
  /** False if the nodes do not form a value, or one that is too large. */
  isValue: boolean;
}

/** The value of a document, with its problems, and the nodes of its aliases. */
export interface CheckedNodes extends Pick<State, 'problems' | 'isValue'> {
  readonly value: unknown;
  readonly aliased: ReadonlyMap<Alias, Node>;
}

/**
 * Converts nodes to a value, and finds problems that a schema cannot detect: duplicate keys, keys that JSON does not
 * allow, numbers that were probably meant as text, aliases without an anchor before them (a node that contains itself
 * has no JSON form), and too many levels or values. `isValue` is false if the document has no value to check further.
 */
export function checkNodes(root: unknown): CheckedNodes {
  const state: State = { problems: [], anchors: new Map(), aliased: new Map(), size: 0, isValue: true };
  const value = checkNode(root, [], state);
  return { ...state, value };
}

function checkNode(node: unknown, path: Path, state: State): unknown {
  const before = state.size;
  state.size += 1;
  if (path.length > maxDepth) return stop(node, tooManyLevels, state);
  if (isAlias(node)) return checkAlias(node, path, state);
  const anchor = isNode(node) ? node.anchor : undefined;
  // Inside a node, its anchor refers to the node itself, even if an earlier node has the same anchor.
  if (anchor) state.anchors.delete(anchor);
  const value = toValue(node, path, state);
  if (anchor) state.anchors.set(anchor, { node: node as Node, value, size: state.size - before });
  return value;
}

function toValue(node: unknown, path: Path, state: State): unknown {
  if (isSeq(node)) return node.items.map((item, index) => checkNode(item, [...path, index], state));
  if (isMap(node)) return checkMapping(node.items, path, state);
  if (!isScalar(node)) return null;
  checkScalar(node, path, state);
  if (typeof node.value === 'string') state.size += Math.max(0, node.value.length - 1);
  return node.value ?? null;
}

function stop(node: unknown, message: string, state: State): void {
  // Only the first limit is reported, because later ones have the same cause.
  if (state.isValue) state.problems.push({ offset: startOf(node), message, path: [] });
  state.isValue = false;
}

function checkAlias(node: Alias, path: Path, state: State): unknown {
  const anchored = state.anchors.get(node.source);
  if (!anchored) {
    const message = `unknown anchor ${show(node.source)}: put text that begins with * in quotes`;
    state.problems.push({ offset: startOf(node), message, path });
    state.isValue = false;
    return undefined;
  }
  state.aliased.set(node, anchored.node);
  state.size += anchored.size;
  if (state.size > maxSize)
    stop(node, `expected at most ${maxSize.toLocaleString('en')} values; aliases repeat more`, state);
  return anchored.value;
}

function checkMapping(pairs: readonly Pair[], path: Path, state: State): object {
  const mapping: Record<string, unknown> = {};
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
    state.size += name.length;
    if (isNode(key) && key.anchor) checkNode(key, path, state);
    const inner = checkNode(value, [...path, name], state);
    if (name !== forbiddenKey) mapping[name] = inner;
  }
  return mapping;
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

/** Returns the offset of a node in the text. */
export function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
