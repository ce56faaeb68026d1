/** Applies the recorded requests of a replay, and returns their responses. */
import { parseJson, toRawBody } from '../http/body.ts';
import type { RequestHandlerDeps } from '../http/handler-deps.ts';
import { createNotFound } from '../http/not-found.ts';
import type { Reply } from '../http/reply.ts';
import { createRequestHandler } from '../http/request-handler.ts';
import type { RecordedRequest } from '../journal/recording.ts';
import { isNamed } from '../keys/region.ts';
import type { Problem } from '../lib/problem.ts';
import { addFromBody } from '../openapi/identify.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';

/** Creates a function that applies a recorded request, and returns its response. */
export function createReplies(
  parts: RequestHandlerDeps,
  project: string,
  scenarios: readonly CompiledScenario[],
): (recorded: RecordedRequest) => Promise<Reply> {
  const { contract, replies } = parts;
  const handler = createRequestHandler(parts);
  const toNotFound = createNotFound(contract.operations.values(), 'api');
  return async (recorded) => {
    const { method, url, headers, body = '', unread, full } = recorded.request;
    const raw = unread ? { problem: unread } : toRawBody(body);
    const parsed = unread ? { problem: unread } : await parseJson(body);
    const request = { method, url, headers };
    const match = contract.match(method, url, headers);
    // Only another profile than that of the recording has no such request, or expects the project elsewhere.
    if (!match.found) return replies.problem(toNotFound(match, method, url), { request });
    if ('value' in parsed) addFromBody(match, parsed.value);
    if (!isNamed(project, match.params['projectId'])) return replies.problem(withoutProject, { request });
    const scenario = recorded.scenario === undefined ? undefined : scenarios[recorded.scenario];
    const { secretTests = {}, rate: recordedRate = 1 } = recorded;
    const received = { raw, parsed, scenario, secretTests, recordedRejection: full, recordedRate };
    return handler.applyReceived(request, received, project);
  };
}

const withoutProject: Problem = {
  kind: 'invalid',
  message: 'the request does not name its project where the profile expects it',
};
