/** Finds in the nodes of a YAML document what no schema can see; knows of no schema. */
import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { show } from './schema-issue.ts';

/** The keys and indices that lead to a value. */
export type Path = readonly PropertyKey[];

/** Something wrong at a place of the text, counted in characters. */
export interface Problem {
  readonly offset: number;
  readonly message: string;
  readonly path: Path;
}

/** Nothing that reads a file expects this key, and assigning to it changes an object's prototype. */
export const forbiddenKey = '__proto__';

const deepest = 100;

/**
 * Finds what the schema cannot see: keys that stand twice or have no place in JSON, aliases without an anchor before
 * them. False where the nodes make no value: a node within itself would be a value that JSON cannot write.
 */
export function checkNodes(node: unknown, path: Path, problems: Problem[], anchors: Set<string>): boolean {
  if (path.length > deepest) throw new RangeError('nested too deeply');
  if (isAlias(node)) {
    if (anchors.has(node.source)) return true;
    problems.push({ offset: startOf(node), message: `no anchor &${node.source} stands before this alias`, path });
    return false;
  }
  const anchor = isNode(node) ? node.anchor : undefined;
  // Within itself a node's name means the node itself, even where it meant another before.
  if (anchor) anchors.delete(anchor);
  const whole = isSeq(node)
    ? node.items.map((item, index) => checkNodes(item, [...path, index], problems, anchors)).every(Boolean)
    : !isMap(node) || node.items.map((pair) => checkPair(pair, path, problems, anchors)).every(Boolean);
  if (isMap(node)) checkNames(node.items, path, problems);
  if (anchor) anchors.add(anchor);
  return whole;
}

function checkPair({ key, value }: Pair, path: Path, problems: Problem[], anchors: Set<string>): boolean {
  const name = keyText(key);
  if (name === undefined) {
    problems.push({ offset: startOf(key), message: 'expected a plain key', path });
    return false;
  }
  return checkNodes(key, path, problems, anchors) && checkNodes(value, [...path, name], problems, anchors);
}

function checkNames(pairs: readonly Pair[], path: Path, problems: Problem[]): void {
  const seen = new Set<string>();
  for (const { key } of pairs) {
    const name = keyText(key) ?? '';
    const report = (message: string) => problems.push({ offset: startOf(key), message, path: [...path, name] });
    if (name === forbiddenKey) report(`unknown key "${forbiddenKey}"`);
    else if (seen.has(name)) report(`key ${show(name)} stands twice in one mapping`);
    seen.add(name);
  }
}

/** A key as toJS spells it; undefined where it is no scalar. */
export function keyText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value ?? '') : undefined;
}

/** Where a node begins in the text. */
export function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
