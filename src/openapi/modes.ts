/** Keeps the document true if a profile makes an asynchronous operation synchronous, or the reverse. */
import type { Json } from '../lib/json.ts';

/** When an operation processes its entries: before the response, or after it. */
export type Mode = 'sync' | 'async';

/** Sentences of the document that say when entries are processed. */
const sentences: readonly Readonly<Record<Mode, string>>[] = [
  {
    async:
      'The response of this asynchronous operation lists the accepted entries; entries that fail later are reported by callback.',
    sync: 'The response of this synchronous operation lists the processed entries, and those that failed with a reason.',
  },
  {
    async:
      'The response of this asynchronous operation says only that the request was accepted; a later failure is reported by callback.',
    sync: 'The response of this synchronous operation is sent after all downstream systems have finished.',
  },
  {
    async:
      'Accepted for processing. Invalid entries are listed in `failed`; entries that fail later are reported by callback.',
    sync: 'Processed. Entries that failed are listed in `failed`, the others were stored.',
  },
  {
    async: 'Accepted for processing; a later failure is reported by callback.',
    sync: 'Processed by all downstream systems.',
  },
];

/** Statuses of failures that an asynchronous operation reports by callback, if its response has no list of them. */
const reportedLater = ['409', '422'];

const callbacks = { downstreamFailed: { $ref: '#/components/callbacks/DownstreamFailed' } } as const;

/** Returns the mode that the document describes for an operation. */
export function documentedMode(operation: Json): Mode {
  return operation['callbacks'] === undefined ? 'sync' : 'async';
}

/** Rewrites what an operation says about its mode: description, tags, responses, examples and callbacks. */
export function setMode(operation: Json, mode: Mode): void {
  if (documentedMode(operation) === mode) return;
  for (const key of ['description', 'x-not-shown']) operation[key] = reword(String(operation[key]), mode);
  operation['tags'] = (operation['tags'] as readonly string[]).map((tag) => reword(tag, mode));
  operation['responses'] = toResponses(operation['responses'] as Json, mode);
  operation['requestBody'] = withExamples(operation['requestBody'] as Json, mode);
  if (mode === 'async') operation['callbacks'] = callbacks;
  else delete operation['callbacks'];
}

/** Says of a single record that it was accepted, where the result says that it was created or updated. */
export function toAcceptedResult(result: unknown): unknown {
  const { message } = result as { readonly message?: unknown };
  return typeof message === 'string' ? { message: message.replace(/ (?:created|updated)$/, ' accepted') } : result;
}

function reword(text: string, mode: Mode): string {
  const reworded = sentences.reduce(
    (all, { sync, async }) => (mode === 'sync' ? all.replace(async, sync) : all.replace(sync, async)),
    text,
  );
  return reworded.replace(/\ba?synchronous\b/g, mode === 'async' ? 'asynchronous' : 'synchronous');
}

function toResponses(responses: Json, mode: Mode): Json {
  const all: Json = {};
  for (const [status, response] of Object.entries(responses as Record<string, Json>)) {
    if (mode === 'async' && reportedLater.includes(status)) continue;
    const description = reword(String(response['description']), mode);
    all[status] = status.startsWith('2') ? { ...withExamples(response, mode), description } : response;
  }
  // Only the path can be unknown: an unknown record is found later.
  if (mode === 'async') all['404'] = { $ref: '#/components/responses/PathNotFound' };
  return all;
}

/** Returns a body or response without the examples that are only true in the other mode. */
function withExamples(holder: Json, mode: Mode): Json {
  const media = (holder['content'] as Record<string, Json>)['application/json'] as Json;
  const examples = Object.entries(media['examples'] as Record<string, Json>);
  const kept = examples.filter(([, { 'x-mode': only }]) => only === undefined || only === mode);
  return { ...holder, content: { 'application/json': { ...media, examples: Object.fromEntries(kept) } } };
}
