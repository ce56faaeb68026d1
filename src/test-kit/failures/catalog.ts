/** Reads the catalog of failures of a sandbox, whose profile may change them. */
import type { components } from '../../openapi/control.gen.ts';
import { operations } from '../../operations/index.ts';
import { type OperationTraits, toTraits } from '../../scenarios/failure-kinds.ts';
import type { ControlClient } from '../control-client.ts';
import type { OperationName } from '../types.ts';

export type CatalogOperation = components['schemas']['CatalogOperation'];

/** Returns the operations of the API as the sandbox's profile has them. */
export async function readCatalog(client: ControlClient): Promise<readonly CatalogOperation[]> {
  const { items } = await client.ask<components['schemas']['Catalog']>('GET', '/catalog');
  return items;
}

/** Returns on what the failures of each operation depend, by its operationId. */
export async function readTraits(client: ControlClient): Promise<ReadonlyMap<string, OperationTraits>> {
  const items = await readCatalog(client);
  return new Map(
    items.map(({ operation, mode, failures }) => {
      const statuses = failures.flatMap(({ kind }) => /^status-(\d+)$/.exec(kind)?.[1] ?? []).map(Number);
      return [operation, toTraits(operations[operation as OperationName], mode, statuses)];
    }),
  );
}
