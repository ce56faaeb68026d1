/** Converts a project to the text of its file and back, and reports where a file is damaged. */
import { type Endpoint, isSameEndpoint } from '../../../callbacks/callback.ts';
import { joinTexts, toChunks } from '../../../lib/chunks.ts';
import type { Steps } from '../../../lib/slices.ts';
import type { ProjectState } from '../../state.ts';
import { DamagedFile, seal, startOf, toHex, unseal } from './checked-lines.ts';
import { toFileName } from './file-name.ts';
import { captureLists, fromValue, type StateList, type StateValue, stateLists, toShortParts } from './state-value.ts';

const format = 'field-sandbox project';

/** Version of the file format. Other versions are not read, because their meaning may differ. */
export const fileVersion = 4;

/** A project as it was written to its file. The lines of its log follow it. */
export interface ProjectFileContent {
  readonly project: string;
  readonly state: ProjectState;
  /** Identifies this version of the file. Lines of its log name it. */
  readonly edition: string;
}

interface Written {
  readonly project: string;
  readonly state: ProjectState;
  /** Called with the edition when all is written. */
  onEnd?(edition: string): void;
}

/** Writes the lines of a project file, several at a time. */
export function toProjectText(written: Written, defaultEndpoint: Endpoint | undefined): Iterable<string> {
  return joinTexts(toProjectLines(written, defaultEndpoint));
}

/**
 * Writes lines of JSON: the short parts, the long lists in chunks, so that no string is as long as the file, and an end
 * line. An endpoint equal to the default endpoint is omitted, so that after a restart the project uses the default
 * endpoint of that time. The state may change after this call.
 */
export function toProjectLines(
  { project, state, onEnd }: Written,
  defaultEndpoint: Endpoint | undefined,
): Iterable<string> {
  const { endpoint, ...shortParts } = toShortParts(state);
  const ownEndpoint = isSameEndpoint(endpoint, defaultEndpoint) ? {} : { endpoint: endpoint ?? null };
  const head = JSON.stringify({ format, version: fileVersion, project, state: { ...shortParts, ...ownEndpoint } });
  return sealAll(project, toTexts(head, captureLists(state)), onEnd);
}

function* toTexts(head: string, lists: ReturnType<typeof captureLists>): Generator<string> {
  yield head;
  for (const chunk of toChunks(lists)) yield `{${chunk}}`;
  yield endText;
}

const endText = '{"end":true}';

function* sealAll(project: string, texts: Iterable<string>, onEnd: Written['onEnd']): Generator<string> {
  let crc = startOf(project);
  for (const text of texts) {
    const sealed = seal(text, crc);
    crc = sealed.crc;
    yield sealed.line;
  }
  onEnd?.(toHex(crc));
}

type Head = Readonly<Partial<Record<'format' | 'version' | 'project' | 'state', unknown>>>;

/**
 * Reads the lines that `toProjectLines` wrote.
 * @throws DamagedFile if the lines are not those of a project file with this name
 */
export function* readProjectLines(
  lines: Iterable<string>,
  fileName: string,
  defaultEndpoint: Endpoint | undefined,
): Steps<ProjectFileContent> {
  const lists = Object.fromEntries(stateLists.map((list) => [list, [] as unknown[]])) as Record<StateList, unknown[]>;
  let head: Head | undefined;
  let crc = 0;
  let number = 0;
  let isWhole = false;
  for (const line of lines) {
    number += 1;
    if (isWhole) throw new DamagedFile(`line ${number}: expected no line after the end`);
    if (head === undefined) crc = startOf(checkHead(line, fileName));
    const read = unseal(line, crc, number);
    const value = read.value as Head;
    crc = read.crc;
    isWhole = 'end' in value;
    if (head === undefined) head = value;
    else if (!isWhole) addLists(lists, value);
    yield;
  }
  if (!head || !isWhole) throw new DamagedFile(`line ${number + 1}: missing; the file is cut off`);
  const { due, callbacks, ...records } = lists;
  const value = { ...(head.state as object), records, due, callbacks } as unknown as StateValue;
  const { endpoint = defaultEndpoint } = value;
  const state = fromValue({ ...value, endpoint: endpoint ? { ...endpoint } : undefined });
  return { project: head.project as string, state, edition: toHex(crc) };
}

/** Checks the first line, before its checksum: a file of another version has none. Returns the project. */
function checkHead(line: string, fileName: string): string {
  const { format: actualFormat, version, project } = parseHead(line);
  if (actualFormat !== format) throw new DamagedFile(`line 1: not a project file: expected "format": "${format}"`);
  if (version !== fileVersion) {
    const actual = JSON.stringify(version)?.slice(0, 40) ?? 'none';
    const why = 'Was it written by another version of field-sandbox?';
    throw new DamagedFile(`line 1: unknown version: expected ${fileVersion}, got ${actual}. ${why}`);
  }
  if (typeof project !== 'string') throw new DamagedFile('line 1: /project: expected a string');
  const own = toFileName(project);
  if (own !== fileName)
    throw new DamagedFile(`line 1: belongs to project ${JSON.stringify(project)}: expected the file name ${own}`);
  return project;
}

function parseHead(text: string): Head {
  try {
    return (JSON.parse(text) ?? {}) as Head;
  } catch {
    throw new DamagedFile('line 1: invalid JSON');
  }
}

function addLists(lists: Record<StateList, unknown[]>, chunk: Readonly<Record<string, unknown>>): void {
  for (const [list, values] of Object.entries(chunk))
    for (const value of values as readonly unknown[]) lists[list as StateList].push(value);
}
