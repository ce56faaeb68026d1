/** Reads why a request was rejected or failed: from its response, and from its callbacks. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { components } from '../../openapi/control.gen.ts';
import { parseBody } from '../named-records.ts';
import type { LaterEffects } from './later-effects.ts';

type Failures = Pick<components['schemas']['RequestProblem'], 'message' | 'errors' | 'failed'>;
type Violation = components['schemas']['Violation'];

/** Reads what a response rejects. A scenario can send any body, so every field is checked. */
export function readFailures({
  status,
  rejectedCount,
  problem,
  responseBody,
  applied,
  observedFailure,
}: JournalEntry): Failures {
  if (status < 400 && rejectedCount === 0) return { message: '', errors: [], failed: [] };
  const { message, errors } = problem ?? parseBody(responseBody);
  return {
    message: typeof message === 'string' ? message : '',
    errors: Array.isArray(errors) ? errors.filter(isViolation) : [],
    // A response that a scenario wrote lists none of them.
    failed: observedFailure?.respond ? [] : (applied[0]?.failed ?? []).map(({ id, reason }) => ({ id, reason })),
  };
}

function isViolation(value: Partial<Violation> | null): value is Violation {
  return typeof value?.path === 'string' && typeof value.message === 'string';
}

/** Maximum length of a reason in a row, in characters. */
const maxReason = 200;

/** Returns the first reason why a request was rejected or failed; undefined without one. */
export function findReason(entry: JournalEntry, effects: LaterEffects | undefined): string | undefined {
  const { message, errors, failed } = readFailures(entry);
  const [error] = errors;
  const [first = effects?.callbacks.find(({ body }) => body.data.failed.length > 0)?.body.data.failed[0]] = failed;
  const text = error ? `${error.path} ${error.message}` : (first?.reason ?? message);
  return text === '' ? undefined : text.slice(0, maxReason);
}
