/** Finds the place of an offset in a YAML text: the path of keys, and what is typed there. Also for unfinished texts. */
import { isMap, isPair, isScalar, isSeq, type Pair, parseDocument, type Scalar, type YAMLMap } from 'yaml';

export interface YamlPlace {
  /** Path of the value; if a key is typed, of the map that it belongs to. */
  readonly path: readonly (string | number)[];
  readonly kind: 'key' | 'value';
  /** The keys that the map already has, without the one that is typed. */
  readonly siblings: readonly string[];
}

const word = /[\w.*?-]*$/;

/** Returns the place where the user types, with a placeholder so that an empty place has a node. */
export function placeOfTyping(text: string, offset: number): YamlPlace | undefined {
  const before = text.slice(0, offset);
  const typed = word.exec(before)?.[0] ?? '';
  const line = before.slice(before.lastIndexOf('\n') + 1, before.length - typed.length);
  const rest = /^[^\n]*/.exec(text.slice(offset))?.[0] ?? '';
  // At the start of a line, a word is a key that has no colon yet.
  const isNewKey = /^\s*(?:- +)*$/.test(line) && rest.trim() === '';
  const filled = `${before}${typed === '' ? 'x' : ''}${isNewKey ? ':' : ''}${text.slice(offset)}`;
  return placeOf(filled, offset - typed.length);
}

/** Returns the place of the key or value that covers the offset. */
export function placeOf(text: string, offset: number): YamlPlace | undefined {
  const document = parseDocument(text, { uniqueKeys: false });
  return search(document.contents, [], offset);
}

function search(node: unknown, path: YamlPlace['path'], offset: number): YamlPlace | undefined {
  if (isMap(node)) return firstOf(node.items, (pair) => searchPair(pair, node, path, offset));
  if (isSeq(node)) {
    return firstOf([...node.items.entries()], ([index, item]) =>
      search(isPair(item) ? item.value : item, [...path, index], offset),
    );
  }
  return isScalar(node) && covers(node, offset) ? { path, kind: 'value', siblings: [] } : undefined;
}

function searchPair(pair: Pair, map: YAMLMap, path: YamlPlace['path'], offset: number): YamlPlace | undefined {
  const { key, value } = pair;
  if (!isScalar(key) || !covers(key, offset)) return search(value, [...path, keyOf(key)], offset);
  const siblings = map.items.filter((other) => other !== pair).map((other) => keyOf(other.key));
  return { path, kind: 'key', siblings };
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function covers({ range }: Scalar, offset: number): boolean {
  return range !== null && range !== undefined && offset >= range[0] && offset < Math.max(range[1], range[0] + 1);
}

function keyOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}
