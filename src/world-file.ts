/** The text of a world's file, and back: what is in it, of which version, and where it is damaged. */
import type { Endpoint } from './callbacks/callback.ts';
import { toFileName } from './store/file-name.ts';
import type { WorldData } from './world-data.ts';
import { fromValue, toValue, type WorldValue } from './world-value.ts';

const format = 'field-sandbox world';

/** Another is not read: what it means may have changed. */
const fileVersion = 1;

/** A file's text that can't be used, and why. */
export class DamagedFile extends Error {}

/** A project, and what it was when its file was written. */
export interface WorldFile {
  readonly project: string;
  /** Names this text of all that there were: lines of a log go on from one of them. */
  readonly edition: string;
  readonly data: WorldData;
}

/** An endpoint that is as the options say is left out: after a restart it is as they say then. */
export function toWorldText({ project, edition, data }: WorldFile, usual: Endpoint | undefined): string {
  const { endpoint, ...world } = toValue(data);
  const own = isSame(endpoint, usual) ? {} : { endpoint: endpoint ?? null };
  return `${JSON.stringify({ format, version: fileVersion, project, edition, world: { ...world, ...own } })}\n`;
}

function isSame(one: Endpoint | undefined, other: Endpoint | undefined): boolean {
  return one?.url === other?.url && one?.secret === other?.secret && one?.disabled === other?.disabled;
}

/** What `toWorldText` gave. @throws DamagedFile where the text is not of the file that is so named */
export function fromWorldText(text: string, fileName: string, usual: Endpoint | undefined): WorldFile {
  const file = parse(text) as Readonly<Record<string, unknown>> | null;
  if (file?.format !== format) throw new DamagedFile(`not a world: expected "format": "${format}"`);
  if (file.version !== fileVersion) {
    const came = JSON.stringify(file.version)?.slice(0, 40) ?? 'none';
    throw new DamagedFile(
      `unknown version: expected ${fileVersion}, got ${came}; was it written by another field-sandbox?`,
    );
  }
  const { project, edition, world } = file;
  if (typeof project !== 'string') throw new DamagedFile('/project: expected a text');
  if (typeof edition !== 'string') throw new DamagedFile('/edition: expected a text');
  if (toFileName(project) !== fileName) {
    throw new DamagedFile(`of another project, ${JSON.stringify(project)}, whose file is ${toFileName(project)}`);
  }
  const misshapen = findMisshapen({ world });
  if (misshapen !== undefined) throw new DamagedFile(misshapen);
  const { endpoint = usual, ...value } = world as WorldValue;
  return { project, edition, data: fromValue({ ...value, endpoint: endpoint ? { ...endpoint } : undefined }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Where it says no place, it is the end.
    const end = text.trimEnd().length;
    const place = Math.min(end, Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? end));
    const before = text.slice(0, place).split('\n');
    const at = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    throw new DamagedFile(place === end ? `not JSON: cut off at ${at}` : `not JSON at ${at}`);
  }
}

type Kind = 'object' | 'number' | 'list' | 'pairs';

/** What has to be there; what is inside of it is as it was written, or it would be no JSON. */
const shapes: readonly (readonly [path: string, kind: Kind])[] = [
  ['/world', 'object'],
  ['/world/records', 'object'],
  ...['jobs', 'orders', 'routes', 'users', 'devices', 'trails'].map(
    (name) => [`/world/records/${name}`, 'pairs'] as const,
  ),
  ['/world/clock', 'object'],
  ...['due', 'scenarios'].map((name) => [`/world/${name}`, 'list'] as const),
  ...['callbacks', 'groups', 'ruleCounts', 'requestTallies', 'activations'].map(
    (name) => [`/world/${name}`, 'pairs'] as const,
  ),
  ...['dueCount', 'requestCount', 'changeCount', 'begunAt', 'shownMs'].map(
    (name) => [`/world/${name}`, 'number'] as const,
  ),
];

const words: Readonly<Record<Kind, string>> = {
  object: 'an object',
  number: 'a number',
  list: 'a list',
  pairs: 'a list of pairs of an id and what it stands for',
};

const fits: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  number: (value) => typeof value === 'number',
  list: (value) => Array.isArray(value),
  pairs: (value) =>
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string'),
};

function findMisshapen(file: object): string | undefined {
  for (const [path, kind] of shapes) {
    let value: unknown = file;
    for (const name of path.slice(1).split('/')) value = (value as Record<string, unknown> | undefined)?.[name];
    if (!fits[kind](value)) return `${path}: expected ${words[kind]}`;
  }
  return undefined;
}
