/** Gives the responses of an operation the statuses of the profile. */
import type { Json } from '../lib/json.ts';
import { catalogue, type ProblemKind } from '../lib/problem.ts';
import { type ApiDocument, resolve } from './api-document.ts';
import type { OperationOverride, Profile } from './profile/profile.ts';

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
  const statusesOf = new Map<string, string[]>();
  for (const [kind, status] of Object.entries(profile.errors)) {
    const defaultStatus = String(catalogue[kind as ProblemKind]);
    statusesOf.set(defaultStatus, [...(statusesOf.get(defaultStatus) ?? []), String(status)]);
  }
  const responses: Json = {};
  for (const [status, response] of Object.entries(operation['responses'] as Json)) {
    const changed = status.startsWith('2') ? [String(override.status ?? status)] : (statusesOf.get(status) ?? [status]);
    for (const one of new Set(changed)) {
      const other = responses[one];
      responses[one] = other
        ? combine(resolve(document, other as Json), resolve(document, response as Json))
        : response;
    }
  }
  return responses;
}

/** Returns a response that has the descriptions, headers and examples of both. */
function combine(first: Json, second: Json): Json {
  const [media, other] = [first, second].map(({ content }) => (content as Record<string, Json>)['application/json']);
  return {
    ...first,
    description: `${String(first['description'])} Or: ${String(second['description'])}`,
    headers: { ...(second['headers'] as Json), ...(first['headers'] as Json) },
    content: {
      'application/json': {
        ...media,
        examples: { ...(other?.['examples'] as Json), ...(media?.['examples'] as Json) },
      },
    },
  };
}
