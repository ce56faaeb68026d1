/** Gives the responses of an operation the statuses of the profile. */
import { groupBy } from '../lib/group-by.ts';
import type { Json } from '../lib/json.ts';
import { catalogue, type ProblemKind } from '../lib/problem.ts';
import { type ApiDocument, resolve } from './api-document.ts';
import { type OperationOverride, type Profile, toStatuses } from './profile/profile.ts';

/** The response of operations for which only the path can be unknown. */
const pathNotFound = '#/components/responses/PathNotFound';

/**
 * Returns the responses with the profile's statuses. If two errors share a status, their responses are combined. If one
 * status had two errors (a missing and an unknown key), its response is copied to both statuses.
 */
export function toResponses(
  operation: Json,
  override: OperationOverride,
  profile: Profile,
  document: ApiDocument,
): Json {
  const statuses = toStatuses(profile);
  const kindsOf = groupBy(Object.keys(statuses) as ProblemKind[], (kind) => String(catalogue[kind]));
  const toChanged = (status: string, response: Json): Iterable<string> => {
    if (status.startsWith('2')) return [String(override.status ?? status)];
    if (response['$ref'] === pathNotFound) return [String(statuses.unknownPath)];
    return new Set(kindsOf.get(status)?.map((kind) => String(statuses[kind])) ?? [status]);
  };
  const responses: Json = {};
  for (const [status, response] of Object.entries(operation['responses'] as Json)) {
    for (const one of toChanged(status, response as Json)) {
      const other = responses[one];
      responses[one] = other
        ? combine(resolve(document, other as Json), resolve(document, response as Json), document)
        : withoutContent(one, response as Json);
    }
  }
  return responses;
}

/** Returns a response without its content if its status has none. */
function withoutContent(status: string, response: Json): Json {
  if (status !== '204') return response;
  const { content: _none, ...others } = response;
  return others;
}

/** Returns a response that has the descriptions, headers and examples of both. A header that one may lack is optional. */
function combine(first: Json, second: Json, document: ApiDocument): Json {
  const isRequired = (header: unknown) => resolve(document, (header ?? {}) as Json)['required'] === true;
  const [given, more] = [first, second].map(({ headers }) => headers as Json) as [Json, Json];
  const headers = Object.entries({ ...more, ...given }).map(([name, header]) => {
    const isOptional = isRequired(header) && !(isRequired(given[name]) && isRequired(more[name]));
    return [name, isOptional ? { ...resolve(document, header as Json), required: false } : header];
  });
  const [media, other] = [first, second].map(({ content }) => (content as Record<string, Json>)['application/json']);
  return {
    ...first,
    description: `${String(first['description'])} Or: ${String(second['description'])}`,
    headers: Object.fromEntries(headers),
    content: {
      'application/json': {
        ...media,
        examples: { ...(other?.['examples'] as Json), ...(media?.['examples'] as Json) },
      },
    },
  };
}
