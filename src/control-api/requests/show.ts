/** Shows requests whole, with the explained rules. */
import type { JournalEntry } from '../../journal/entry.ts';
import { type ShownProblem, toWarningText } from '../../lib/problem.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { Explained } from '../../scenarios/explain.ts';
import type { LaterEffects } from './later-effects.ts';
import { toHead } from './row.ts';

type RequestSummary = components['schemas']['RequestSummary'];

/** Maximum size of a shown body, in bytes; longer ones are truncated. */
const maxShownLength = 256 * 1024;

function showBody(body: string | undefined): { body?: string; bodyCut?: number } {
  if (body === undefined || body.length === 0) return {};
  const size = Buffer.byteLength(body);
  if (size <= maxShownLength) return { body };
  return {
    body: `${body.slice(0, maxShownLength)}… (truncated: ${size.toLocaleString('en')} bytes in total)`,
    bodyCut: size,
  };
}

export function show(
  entry: JournalEntry,
  effects: LaterEffects | undefined,
  { withBodies }: { readonly withBodies: boolean },
): RequestSummary {
  const explained = entry.explain();
  const toBody = (body: string | undefined) => (withBodies ? showBody(body) : {});
  const { callbacks = [], failed = 0, pending = 0 } = effects ?? {};
  return {
    ...toHead(entry),
    path: entry.url.split('?')[0] ?? '',
    warnings: entry.warnings.map(toWarningText),
    entries: { refused: entry.rejectedCount, failed, pending },
    rules: explained.map(toRuleVerdict),
    ...(explained.length < entry.ruleCount && { rulesOmitted: entry.ruleCount - explained.length }),
    request: {
      method: entry.method,
      url: entry.url,
      headers: { ...entry.requestHeaders },
      ...toBody(entry.requestBody?.read().shown),
    },
    response: {
      status: entry.status,
      headers: { ...entry.responseHeaders },
      ...toBody(entry.responseBody),
      ...(withBodies && entry.problem && { problem: toShown(entry.problem) }),
    },
    callbacks: callbacks.map(({ id }) => id),
  };
}

/** Shows how far a rule came with a request. */
export function toRuleVerdict({ scenario, rule, fired, came: stage, why }: Explained): RequestSummary['rules'][number] {
  return { scenario, rule, fired, stage, why };
}

function toShown({ message, errors }: ShownProblem): NonNullable<RequestSummary['response']['problem']> {
  return { message, ...(errors && { errors: [...errors] }) };
}
