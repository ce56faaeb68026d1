/** Estimates the memory of requests in the journal, in bytes. */
import type { Warning } from '../lib/problem.ts';
import type { NamedIds } from '../records/records.ts';
import { sizeOfKeptText, sizeOfValue } from '../usage/size.ts';
import type { JournalEntry } from './entry.ts';

/** Memory of an entry without its bodies, in bytes. */
export const overhead = 1500;

export function sizeOfRequest(entry: JournalEntry): number {
  const { requestBody, responseBody, url, requestHeaders, warnings, notesSize, named, applied } = entry;
  let size = overhead + notesSize + (requestBody?.size ?? 0) + sizeOf(responseBody);
  size += url.length + sizeOfWarnings(warnings);
  if (named) size += sizeOfNamed(named);
  if (entry.problem) size += sizeOfValue(entry.problem);
  for (const one of applied) size += one.size;
  for (const facts of [entry.evidence.secretTests, entry.evidence.serverCounts]) {
    if (facts) size += 2 * JSON.stringify(facts).length;
  }
  for (const name in requestHeaders) size += name.length + (requestHeaders[name] as string).length;
  return size;
}

/** Memory of the ids that a request names, without their texts, in bytes. */
const namedBytes = 126;
const idBytes = 24;

function sizeOfNamed({ ids }: NamedIds): number {
  let size = namedBytes;
  for (const id of ids) size += idBytes + id.length;
  return size;
}

/** Memory of a warning without its texts, in bytes. */
const warningBytes = 100;

export function sizeOfWarnings(warnings: readonly Warning[]): number {
  let size = 0;
  for (const { path, message } of warnings) size += warningBytes + path.length + message.length;
  return size;
}

/** Returns the memory of a text, in bytes: two per character if it has non-ASCII characters. */
function sizeOf(text: string | undefined): number {
  return text === undefined ? 0 : sizeOfKeptText(text);
}
