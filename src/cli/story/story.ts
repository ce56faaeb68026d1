/** Converts recordings and replays to stories: requests, records and callbacks, by meaning rather than by byte. */
import type { Callback } from '../../callbacks/callback.ts';
import { parseJson } from '../../client/send.ts';
import type { RecordedCallback, RecordedRequest } from '../../journal/recording.ts';
import { isDeeperThan } from '../../lib/depth.ts';
import type { Json } from '../../lib/json.ts';
import type { CapturedSnapshot } from '../../records/snapshot.ts';
import type { LoadedRecording } from '../../replay/player.ts';
import { playRecording, type RequestChange, type StoryPlan } from '../replay/replay.ts';

/** A request, a record or a callback. */
export interface StoryItem {
  readonly label: string;
  /** What its partner in the other story has in common with it, the strictest first. */
  readonly keys: readonly string[];
  readonly value: Json;
}

export const storyParts = ['requests', 'records', 'callbacks'] as const;
export type Story = Readonly<Record<(typeof storyParts)[number], readonly StoryItem[]>>;

type Response = RecordedRequest['response'];

/** Replays a recording. Its requests have their numbers as keys, because both stories have the same. */
export async function playStory(plan: StoryPlan): Promise<Story> {
  const normalize = createNormalizer(plan.recording.project);
  const requests: StoryItem[] = [];
  const { records, callbacks } = await playRecording(plan, (request, { status, body, fault }) => {
    const response = { status, ...(body !== undefined && { body }), ...(fault && { fault: fault.kind }) };
    const value = { response: toResponse(response, normalize) };
    requests.push({ label: toLabel(request), keys: [String(request.n)], value });
  });
  return { requests, records: toRecords(records, normalize), callbacks: toCallbacks(callbacks, normalize) };
}

/** Returns the story of a recording. Only its records come from a replay, because it contains none. */
export async function readStory(loaded: LoadedRecording): Promise<Story> {
  const { recording } = loaded;
  const normalize = createNormalizer(recording.project);
  const { records } = await playRecording(loaded, () => undefined);
  const all = recording.changes.filter((change) => change.kind === 'request');
  const requests = all.map((change) => toRequest(change, loaded, normalize));
  const recorded = recording.changes.filter((change) => change.kind === 'callback');
  return { requests, records: toRecords(records, normalize), callbacks: toCallbacks(recorded, normalize) };
}

function toLabel({ n, request: { method, url } }: RequestChange): string {
  return `${method} ${url} (change ${n})`;
}

function toRequest(change: RequestChange, { contract }: LoadedRecording, normalize: Normalize): StoryItem {
  const { method, url, headers, body, unread } = change.request;
  const match = contract.match(method, url, headers);
  const { projectId: _own, ...identifiers } = match.found ? match.params : {};
  const target = match.found
    ? { operation: match.operation.id, identifiers, query: match.query }
    : { operation: method, identifiers: { url }, query: {} };
  const value = {
    request: normalize({ ...target, ...(unread ? { unread } : { body: toContent(body) }) }),
    response: toResponse(change.response, normalize),
  };
  return {
    label: toLabel(change),
    keys: [value, value.request, normalize({ ...target, query: {} })].map((key) => JSON.stringify(key)),
    value,
  };
}

function toResponse({ status, fault, body }: Response, normalize: Normalize): unknown {
  return normalize({ status, ...(fault && { connection: fault }), body: toContent(body) });
}

/** Maximum depth of a compared body; a deeper one is compared as text. */
const maxLevels = 500;

/** Returns the JSON value of a body, or its text if it is not JSON. */
function toContent(body: string | undefined): unknown {
  const value = body === undefined ? undefined : parseJson(body);
  return value === undefined || isDeeperThan(value, maxLevels) ? body : value;
}

function toRecords({ version: _version, ...lists }: CapturedSnapshot, normalize: Normalize): readonly StoryItem[] {
  return Object.entries(lists).flatMap(([list, records]) =>
    Array.from(records, (record) => {
      const label = `${list} ${record['id'] ?? record['username'] ?? record['deviceId']}`;
      return { label, keys: [label], value: normalize(record) as Json };
    }),
  );
}

type AnyCallback = Pick<Callback, 'body' | 'state'> & { readonly attempts: readonly { readonly sent: string }[] };

function toCallbacks(callbacks: readonly (AnyCallback | RecordedCallback)[], normalize: Normalize) {
  return callbacks.map((callback) => toCallback(callback as AnyCallback, normalize));
}

function toCallback({ body, state, attempts }: AnyCallback, normalize: Normalize): StoryItem {
  const {
    type,
    data: { projectId: _own, requestId: _id, ...data },
  } = body;
  const content = { type, data: normalize(data) };
  const sent = attempts.map((attempt) => normalize(toContent(attempt.sent)));
  const value = { ...content, state, sent };
  const ids = [...data.failed, ...(data.succeeded ?? [])].map(({ id }) => id);
  return {
    label: `${type} of ${data.operation}: ${ids.join(', ')}`,
    keys: [value, content, [type, data.operation, ids], [type, data.operation]].map((key) => JSON.stringify(key)),
    value,
  };
}

/** Returns a value with sorted keys and placeholders. */
type Normalize = (value: unknown) => unknown;

const replacements: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/\b(?:TRK-|req_|msg_)[0-9a-f]{16}(?:_(?:route)?\d+)?(?![0-9a-z])/g, '{id}'],
  [/\b\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?/g, '{time}'],
  [/(?<=try again in )\d+(?= s\b)/g, '{time}'],
];

/** Creates a function that normalizes values of one project, whose id is a placeholder too. */
function createNormalizer(project: string): Normalize {
  const toText = (text: string): string =>
    text === project ? '{project}' : replacements.reduce((shown, [from, to]) => shown.replace(from, to), text);
  const normalize: Normalize = (value) => {
    if (typeof value === 'string') return toText(value);
    if (Array.isArray(value)) return value.map(normalize);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value as Json).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, normalize(item)]));
  };
  return normalize;
}
