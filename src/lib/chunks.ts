/** Writes long lists as JSON texts of bounded length, one after another, so that other work can run in between. */

/** Minimum length of a chunk except the last, in characters: writing one takes some 0.1 ms, serialising it 2 ms. */
const minChunk = 256 * 1024;

/**
 * Yields members of a JSON object, with the values grouped into lists by name; each text has about `minChunk`
 * characters.
 */
export function* toChunks(values: Iterable<readonly [list: string, value: unknown]>): Generator<string> {
  let lists = new Map<string, string[]>();
  let length = 0;
  for (const [list, value] of values) {
    const text = JSON.stringify(value);
    const texts = lists.get(list);
    if (texts) texts.push(text);
    else lists.set(list, [text]);
    length += text.length;
    if (length < minChunk) continue;
    yield toMembers(lists);
    lists = new Map();
    length = 0;
  }
  if (lists.size > 0) yield toMembers(lists);
}

function toMembers(lists: ReadonlyMap<string, readonly string[]>): string {
  return Array.from(lists, ([list, texts]) => `${JSON.stringify(list)}:[${texts.join()}]`).join();
}

/** Joins short texts into longer ones, so that each can be written at once. */
export function* joinTexts(texts: Iterable<string>): Generator<string> {
  let joined = '';
  for (const text of texts) {
    joined += text;
    if (joined.length < minChunk) continue;
    yield joined;
    joined = '';
  }
  if (joined !== '') yield joined;
}

/** Serialises an object as JSON.stringify does, one text after another. Its lists can be any iterables, which are iterated once. */
export function toJsonPieces(value: object): Iterable<string> {
  return joinTexts(toTexts(value));
}

function* toTexts(value: object): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (isIterable(member)) yield* toListTexts(member);
    else yield JSON.stringify(member);
  }
  yield before === '{' ? '{}' : '}';
}

function* toListTexts(list: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const entry of list) {
    yield `${before}${JSON.stringify(entry) ?? 'null'}`;
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
