/** Observes what the sandbox answers before a template gives it a form. */
import type { ApiReplies } from '../../../http/api-replies.ts';
import { codeOf, type Problem } from '../../../lib/problem.ts';
import type { TemplateValues } from '../../../lib/template.ts';

/** The content of a response: why the request was rejected, or the result with the values of its template. */
export type Content =
  | { readonly problem: Problem; readonly code: string }
  | { readonly body: unknown; readonly values: TemplateValues };

export interface ObservedReplies extends ApiReplies {
  /** Returns the content of the latest response, and forgets it. */
  take(): Content | undefined;
}

export function observeReplies(replies: ApiReplies): ObservedReplies {
  let latest: Content | undefined;
  return {
    ...replies,
    problem: (problem, context) => {
      latest = { problem, code: codeOf(problem.kind) ?? '' };
      return replies.problem(problem, context);
    },
    result: (operation, status, body, values) => {
      latest = { body, values: values() };
      return replies.result(operation, status, body, values);
    },
    take: () => {
      const taken = latest;
      latest = undefined;
      return taken;
    },
  };
}
