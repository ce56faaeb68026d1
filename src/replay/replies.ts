/** Applies the recorded requests of a replay, and returns their responses. */
import { parseJson } from '../http/body.ts';
import type { RequestHandlerDeps } from '../http/handler-deps.ts';
import { createNotFound } from '../http/not-found.ts';
import { createPipeline } from '../http/pipeline.ts';
import type { Reply } from '../http/reply.ts';
import type { RecordedRequest } from '../journal/recording.ts';
import { isNamed } from '../keys/api-key.ts';
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
  const pipeline = createPipeline(parts);
  const toNotFound = createNotFound(contract.operations.values(), 'api');
  return async (recorded) => {
    const { method, url, headers, body = '', unread, full } = recorded.request;
    const raw = unread ? { problem: unread } : { text: body };
    const parsed = unread ? { problem: unread } : await parseJson(body);
    const request = { method, url, headers };
    const match = contract.match(method, url, headers);
    // Only another profile than that of the recording has no such request, or expects the project elsewhere.
    if (!match.found) return replies.problem(toNotFound(match, method, url), { request });
    if ('value' in parsed) addFromBody(match, parsed.value);
    if (!isNamed(project, match.params['projectId'])) return replies.problem(withoutProject, { request });
    const { secretTests = {}, rate = 1 } = recorded;
    const scenario = recorded.scenario === undefined ? undefined : scenarios[recorded.scenario];
    const read = { raw, parsed, scenario, recorded: { secretTests, rejection: full, rate } };
    return pipeline.applyRead(request, read, project);
  };
}

const withoutProject: Problem = {
  kind: 'invalid',
  message: 'the request does not name its project where the profile expects it',
};
