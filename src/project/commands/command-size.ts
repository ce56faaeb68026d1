/** Calculates by how much a command makes its project larger, before it is applied. */
import type { Command } from '../../operations/command.ts';
import { creates, type Operation } from '../../operations/index.ts';
import type { Records } from '../../records/records.ts';
import { entryBytes, maxBytesPerCharacter, sizeOfText } from '../../usage/size.ts';

type Kind = Pick<Operation, 'callbackType' | 'collection' | 'idParam' | 'list'>;

/** Returns how many records a command may create: the entries whose ids are not stored. */
export function countNewRecords(records: Records, operation: Kind, { entries, routes = [] }: Command): number {
  if (!mayCreate(operation)) return 0;
  const into = records[operation.collection === 'routes' ? 'jobs' : operation.collection];
  const [first] = entries;
  if (first && entries.length === 1 && routes.length === 0) return into.has(first.id) ? 0 : 1;
  const ids = new Set<string>();
  for (const { id } of entries) if (!into.has(id)) ids.add(id);
  const newRoutes = new Set(routes.map(({ id }) => id).filter((id) => !records.routes.has(id)));
  return ids.size + newRoutes.size;
}

/** Whether an operation may create records. An update cannot: an unknown id fails. */
function mayCreate(operation: Kind): boolean {
  return (
    creates(operation) || operation.collection === 'devices' || (operation.collection === 'users' && !operation.idParam)
  );
}

/** Returns the size of a command with this body text, in bytes: a quick upper bound, and an estimate. */
export function commandBytes(text: string, { entries }: Command): { readonly max: number; exact(): number } {
  const own = entryBytes * entries.length;
  return { max: text.length * maxBytesPerCharacter + own, exact: () => sizeOfText(text) + own };
}
