/** Lists accepted entries for a response, each with the tracking id and subproject that its record has or will have. */
import type { ActionContext, Command, Entry, PendingImport } from '../../operations/command.ts';
import { type AcceptedEntry, creates, type Operation } from '../../operations/index.ts';
import type { Records } from '../../records/records.ts';

/** What a response says of a record. */
interface Named {
  readonly subProjectId?: unknown;
  readonly tracking?: unknown;
}

/** Lists entries that were applied, or accepted to be applied later. An update of an unknown id has no tracking id. */
export function toAcceptedEntries(
  records: Records,
  operation: Operation,
  context: ActionContext,
  command: Command,
  entries: readonly Entry[],
): readonly AcceptedEntry[] {
  const kind = operation.collection === 'orders' ? 'orders' : 'jobs';
  const field = kind === 'orders' ? 'trackId' : 'trackingId';
  const { duplicates } = context.rules;
  const isUpdate = !creates(operation);
  // A job that exists and joins a route is updated.
  const findsRecords = isUpdate || (operation.list === 'routes' && duplicates.routeJobs === 'attach');

  const toImported = ({ entry: { id, value }, subProjectId }: PendingImport): Named => ({
    subProjectId: value?.['subProjectId'] ?? subProjectId,
    tracking: value?.[field] ?? context.trackingId(kind, id),
  });

  /** Returns the record, or what a pending import will create. */
  function findRecord(id: string): Named | undefined {
    const record = records[kind].get(id);
    if (record) return { subProjectId: record['subProjectId'], tracking: record[field] };
    const imports = context.pendingImports(kind, id).filter(({ entry }) => entry.value);
    const decides = imports.at(duplicates[kind] === 'replace' ? -1 : 0);
    return decides && toImported(decides);
  }

  function toNamed(entry: Entry): Named {
    const record = findsRecords ? findRecord(entry.id) : undefined;
    if (!record && !isUpdate) return toImported({ entry, subProjectId: command.subProjectId });
    return { ...record, subProjectId: entry.value['subProjectId'] ?? record?.subProjectId };
  }

  return entries.map((entry): AcceptedEntry => {
    const { subProjectId, tracking } = toNamed(entry);
    return {
      orderNumber: entry.id,
      ...(typeof subProjectId === 'string' && { subProjectId }),
      ...(typeof tracking === 'string' && { trackingId: tracking }),
    };
  });
}
