/** Realistic records to send, made once and sent again under other ids. */
import type { Json } from '../../src/lib/json.ts';
import type { OperationId } from '../../src/operations/index.ts';
import { sampleBody } from '../../src/samples/sample.ts';
import { listOf, operationIds } from '../model/operations.ts';

/** Returns the next body of an operation, or the next entry of its list. */
export type Bodies = (operation: OperationId) => Json;

const kept = 40;

/** Creates the bodies of a seed. */
export async function createBodies(seed: string): Promise<Bodies> {
  const samples = new Map<OperationId, readonly Json[]>();
  for (const operation of operationIds) samples.set(operation, await createSamples(operation, seed));
  let next = 0;
  return (operation) => {
    const made = samples.get(operation) ?? [];
    return made[next++ % made.length] as Json;
  };
}

async function createSamples(operation: OperationId, seed: string): Promise<readonly Json[]> {
  const list = listOf(operation);
  if (list) return ((await sampleBody(operation, { seed, count: kept })) as Record<string, Json[]>)[list] ?? [];
  const seeds = Array.from({ length: kept }, (_, number) => `${seed}-${number}`);
  return Promise.all(seeds.map((each) => sampleBody(operation, { seed: each, count: 1 }) as Promise<Json>));
}
