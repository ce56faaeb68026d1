/** Converts a project to the text of its file and back, and reports where a file is damaged. */
import { type Endpoint, isSameEndpoint } from '../../../callbacks/callback.ts';
import { joinTexts, toChunks } from '../../../lib/chunks.ts';
import type { Steps } from '../../../lib/slices.ts';
import type { ProjectState } from '../../state.ts';
import { toFileName } from './file-name.ts';
import {
  captureLists,
  fromValue,
  recordLists,
  type StateList,
  type StateValue,
  stateLists,
  toShortParts,
} from './state-value.ts';

const format = 'field-sandbox world';

/** Version of the file format. Other versions are not read, because their meaning may differ. */
const fileVersion = 2;

/** Older version: one JSON text that contains the long lists. It is read, but no longer written. */
const versionOfOneText = 1;

/** Thrown for a file that cannot be used, with the reason. */
export class DamagedFile extends Error {}

export interface ProjectFileContent {
  readonly project: string;
  /** Identifies this version of the file. Log lines refer to it. */
  readonly edition: string;
  readonly data: ProjectState;
}

/** Writes the lines of a project file, several at a time. */
export function toProjectText(content: ProjectFileContent, defaultEndpoint: Endpoint | undefined): Iterable<string> {
  return joinTexts(toProjectLines(content, defaultEndpoint));
}

/**
 * Writes lines of JSON: the short parts, the long lists in chunks, so that no string is as long as the file, and an end
 * line. An endpoint equal to the default endpoint is omitted, so that after a restart the project uses the default
 * endpoint of that time. The state may change after this call.
 */
export function toProjectLines(
  { project, edition, data: state }: ProjectFileContent,
  defaultEndpoint: Endpoint | undefined,
): Iterable<string> {
  const { endpoint, ...shortParts } = toShortParts(state);
  const ownEndpoint = isSameEndpoint(endpoint, defaultEndpoint) ? {} : { endpoint: endpoint ?? null };
  const head = JSON.stringify({
    format,
    version: fileVersion,
    project,
    edition,
    world: { ...shortParts, ...ownEndpoint },
  });
  return toLines(head, captureLists(state));
}

function* toLines(head: string, lists: ReturnType<typeof captureLists>): Generator<string> {
  yield `${head}\n`;
  for (const chunk of toChunks(lists)) yield `{${chunk}}\n`;
  yield `${endLine}\n`;
}

const endLine = '{"end":true}';

/**
 * Reads the lines that `toProjectLines` wrote.
 * @throws DamagedFile if the lines are not those of a project file with this name
 */
export function* readProjectLines(
  lines: Iterable<string>,
  fileName: string,
  defaultEndpoint: Endpoint | undefined,
): Steps<ProjectFileContent> {
  const rest = lines[Symbol.iterator]();
  const first = rest.next().value ?? '';
  const head = (tryParse(first) ?? parse([first, ...toIterable(rest)].join(''))) as Head | null;
  const { project, edition } = checkHead(head, fileName);
  const { version, world: short } = head as Head;
  const world =
    version === versionOfOneText ? short : { ...(short as object), ...(yield* readLists(toIterable(rest))) };
  const shapeError = findShapeError({ world });
  if (shapeError !== undefined) throw new DamagedFile(shapeError);
  const { endpoint = defaultEndpoint, ...value } = world as StateValue;
  return { project, edition, data: fromValue({ ...value, endpoint: endpoint ? { ...endpoint } : undefined }) };
}

type Head = Readonly<Record<string, unknown>>;

/** Makes the rest of a started iteration iterable. */
function toIterable(rest: Iterator<string>): Iterable<string> {
  return { [Symbol.iterator]: () => rest };
}

function checkHead(head: Head | null, fileName: string): Pick<ProjectFileContent, 'project' | 'edition'> {
  if (head?.['format'] !== format) throw new DamagedFile(`not a project file: expected "format": "${format}"`);
  const { version, project, edition } = head;
  if (version !== fileVersion && version !== versionOfOneText) {
    const actual = JSON.stringify(version)?.slice(0, 40) ?? 'none';
    throw new DamagedFile(
      `unknown version: expected ${fileVersion}, got ${actual}. Was it written by another version of field-sandbox?`,
    );
  }
  if (typeof project !== 'string') throw new DamagedFile('/project: expected a string');
  if (typeof edition !== 'string') throw new DamagedFile('/edition: expected a string');
  if (toFileName(project) !== fileName) {
    throw new DamagedFile(
      `belongs to project ${JSON.stringify(project)}: expected the file name ${toFileName(project)}`,
    );
  }
  return { project, edition };
}

/** Reads the long lists from the lines after the first one. */
function* readLists(lines: Iterable<string>): Steps<object> {
  const lists = Object.fromEntries(stateLists.map((list) => [list, [] as unknown[]])) as Record<StateList, unknown[]>;
  let number = 1;
  let isWhole = false;
  for (const line of lines) {
    number += 1;
    isWhole = line.trimEnd() === endLine;
    if (!isWhole) addLists(lists, parse(line, number), number);
    yield;
  }
  if (!isWhole) throw new DamagedFile(`truncated after line ${number}`);
  const { due, callbacks, ...records } = lists;
  return { records, due, callbacks };
}

function addLists(lists: Record<StateList, unknown[]>, chunk: unknown, number: number): void {
  for (const [list, values] of Object.entries(chunk ?? {})) {
    const target = lists[list as StateList];
    if (!Array.isArray(target) || !Array.isArray(values)) {
      throw new DamagedFile(`line ${number}: /${list}: expected one of the lists ${stateLists.join(', ')}`);
    }
    for (const value of values) target.push(value);
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses a text that starts at this line of the file.
 * @throws DamagedFile with the position
 */
function parse(text: string, firstLine = 1): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // If the message names no position, the error is at the end.
    const end = text.trimEnd().length;
    const place = Math.min(end, Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? end));
    const before = text.slice(0, place).split('\n');
    const at = `line ${firstLine + before.length - 1}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    throw new DamagedFile(place === end ? `invalid JSON: truncated at ${at}` : `invalid JSON at ${at}`);
  }
}

type Kind = 'object' | 'number' | 'list' | 'pairs';

/** Parts that must be present. Their content is as written, or the file would not be valid JSON. */
const shapes: readonly (readonly [path: string, kind: Kind])[] = [
  ['/world', 'object'],
  ['/world/records', 'object'],
  ...recordLists.map((name) => [`/world/records/${name}`, 'pairs'] as const),
  ['/world/clock', 'object'],
  ...['due', 'scenarios'].map((name) => [`/world/${name}`, 'list'] as const),
  ...['callbacks', 'groups', 'ruleCounts', 'requestTallies', 'activations'].map(
    (name) => [`/world/${name}`, 'pairs'] as const,
  ),
  ...['dueCount', 'requestCount', 'changeCount', 'begunAt', 'shownMs'].map(
    (name) => [`/world/${name}`, 'number'] as const,
  ),
];

const kindTexts: Readonly<Record<Kind, string>> = {
  object: 'an object',
  number: 'a number',
  list: 'a list',
  pairs: 'a list of pairs of an id and a value',
};

const kindChecks: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  number: (value) => typeof value === 'number',
  list: (value) => Array.isArray(value),
  pairs: (value) =>
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string'),
};

function findShapeError(file: object): string | undefined {
  for (const [path, kind] of shapes) {
    let value: unknown = file;
    for (const name of path.slice(1).split('/')) value = (value as Record<string, unknown> | undefined)?.[name];
    if (!kindChecks[kind](value)) return `${path}: expected ${kindTexts[kind]}`;
  }
  return undefined;
}
