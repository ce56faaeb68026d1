/** Loads a page of the requests that the URL selects, newest first. */
import { callApi, type Schemas } from '../client.ts';
import { route } from '../route.ts';
import { listPath } from './filter.ts';

export type Page = Schemas['RequestRowPage'];

export const withCounts: Readonly<Record<string, string>> = { counts: 'true' };

export function loadPage(limit: number, others?: Readonly<Record<string, string>>): Promise<Page> {
  return callApi('GET', listPath(route.get().query, limit, others));
}
