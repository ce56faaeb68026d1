/** Reads on what the failures of operations depend from the catalog of a sandbox, whose profile may change them. */
import { operations } from '../../operations/index.ts';
import { type OperationTraits, toTraits } from '../../scenarios/failure-kinds.ts';
import type { ControlClient } from '../control-client.ts';
import type { OperationName } from '../types.ts';

/** Returns the traits of each operation, by its operationId. */
export async function readTraits(client: ControlClient): Promise<ReadonlyMap<string, OperationTraits>> {
  const items = await client.catalog();
  return new Map(
    items.map(({ operation, mode, failures }) => {
      const statuses = failures.flatMap(({ kind }) => /^status-(\d+)$/.exec(kind)?.[1] ?? []).map(Number);
      return [operation, toTraits(operations[operation as OperationName], mode, statuses)];
    }),
  );
}
