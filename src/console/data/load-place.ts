/** Loads where an operation is, and where its requests have the project. */
import { callApi, type Schemas } from './client.ts';
import { type RequestPlace, toRequestPlace } from './request-place.ts';

export async function loadPlace(operationId: string): Promise<RequestPlace | undefined> {
  const { items } = await callApi<Schemas['Catalog']>('GET', '/catalog');
  const found = items.find(({ operation }) => operation === operationId);
  return found && toRequestPlace(found);
}
