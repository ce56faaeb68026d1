/** What a request, or one of its deferred commands, did to the records. */
import { sizeOfValue } from '../usage/size.ts';
import type { Records, StoredRecord, Write } from './records.ts';

/** The writes of one command, and what they replaced. */
export interface Replacement {
  readonly writes: readonly Write[];
  /** For each write: the record that was stored before the command, or null. Empty if there was none for any. */
  readonly replaced: readonly (StoredRecord | null)[];
  /** Memory that only this keeps, in bytes: a record counts where it is stored, until another one replaces it. */
  readonly size: number;
}

export interface Applied extends Replacement {
  /** Time of the project's clock, in milliseconds. */
  readonly atMs: number;
  /** The entries that were not applied, in the order of the request. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
}

/** Memory of a write without its record, in bytes. */
const writeBytes = 60;

/** Finds what these writes replace, before they are applied. */
export function findReplaced(records: Records, writes: readonly Write[]): Replacement {
  let size = writeBytes * writes.length;
  let replaced: (StoredRecord | null)[] | undefined;
  for (const [index, write] of writes.entries()) {
    const record = 'put' in write ? records[write.into].get(write.id) : undefined;
    if (!record) continue;
    replaced ??= writes.map(() => null);
    replaced[index] = record;
    size += sizeOfValue(record);
  }
  return { writes, replaced: replaced ?? none, size };
}

const none: readonly null[] = [];

/** Of a command that writes nothing. */
export const nothingReplaced: Replacement = { writes: [], replaced: none, size: 0 };
