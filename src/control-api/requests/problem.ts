/** Shows what went wrong with a request: the reasons in its response and its callbacks, without any body. */
import type { JournalEntry } from '../../journal/entry.ts';
import { toWarningText } from '../../lib/problem.ts';
import type { components } from '../../openapi/control.gen.ts';
import { readFailures } from './failures.ts';
import type { LaterEffects } from './later-effects.ts';
import { toHead } from './row.ts';
import { toRuleVerdict } from './show.ts';

export type RequestProblem = components['schemas']['RequestProblem'];

/** Maximum number of warnings, rules, mistakes and entries of one request: thousands of entries can fail for one reason. */
const maxListed = 20;

export function toRequestProblem(entry: JournalEntry, effects: LaterEffects | undefined): RequestProblem {
  const { change: _, durationMs: __, ...head } = toHead(entry);
  const { message, errors, failed } = readFailures(entry);
  return {
    ...head,
    warnings: entry.warnings.slice(0, maxListed).map(toWarningText),
    rules: listFired(entry),
    message,
    errors: errors.slice(0, maxListed),
    failed: failed.slice(0, maxListed),
    failedCount: failed.length,
    reported: listReported(effects).slice(0, maxListed),
    reportedCount: effects?.failed ?? 0,
  };
}

function listFired(entry: JournalEntry): RequestProblem['rules'] {
  if (entry.fired.length === 0) return [];
  const fired = entry.explain().filter((one) => one.fired);
  return fired.slice(0, maxListed).map(toRuleVerdict);
}

function listReported(effects: LaterEffects | undefined): RequestProblem['reported'] {
  return (effects?.callbacks ?? []).flatMap(({ id: callback, body }) =>
    body.data.failed.slice(0, maxListed).map(({ id, reason }) => ({ callback, at: body.timestamp, id, reason })),
  );
}
