/** Finds what a command replaces in the records, for the journal, which keeps it. */
import type { Replacement } from '../records/applied.ts';
import type { Records, StoredRecord, Write } from '../records/records.ts';
import { sizeOfValue } from '../usage/size.ts';

/** Memory of a write without its record, in bytes. */
const writeBytes = 60;

/**
 * Finds what these writes replace, before they are applied. `bytes`: the size of what they write. A location replaces the
 * one before, and soon is replaced itself, so it counts here at once.
 */
export function findReplaced(records: Records, writes: readonly Write[], bytes: number): Replacement {
  const [first] = writes;
  if (first && 'point' in first) return { writes, replaced: none, size: bytes };
  let size = writeBytes * writes.length;
  let replaced: (StoredRecord | null)[] | undefined;
  for (let index = 0; index < writes.length; index += 1) {
    const write = writes[index] as Extract<Write, { put: StoredRecord }>;
    const record = records[write.into].get(write.id);
    if (!record) continue;
    replaced ??= writes.map(() => null);
    replaced[index] = record;
    size += sizeOfValue(record);
  }
  return { writes, replaced: replaced ?? none, size };
}

const none: readonly null[] = [];
