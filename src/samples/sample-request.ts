/** Creates whole requests with samples as their bodies. */
import type { Json } from '../lib/json.ts';
import { type BuiltRequest, buildRequest } from '../openapi/build-request.ts';
import type { Contract } from '../openapi/contract.ts';
import type { OperationId } from '../operations/index.ts';
import { createFitting } from './fit-record.ts';
import { createSample } from './sample.ts';

/** The identifiers in a sample request. */
export const sampleIds = {
  projectId: 'demo',
  subProjectId: 'north',
  jobId: 'ORD-1',
  orderId: 'ORD-1',
  username: 'ana',
};

/** Creates a request for the project `demo`, without key and content type, that is valid by the document of a contract. */
export async function createSampleRequest(contract: Contract, id: OperationId): Promise<BuiltRequest | undefined> {
  const operation = contract.operations.get(id);
  if (!operation) return undefined;
  const sample = await createSample(id, { count: 1, seed: 'sandbox' });
  const body = sample.list === undefined ? sample.record : { [sample.list]: [...sample.entries] };
  const request = buildRequest(operation, sampleIds, body);
  createFitting(contract, id)(request.body as Json);
  return request;
}
