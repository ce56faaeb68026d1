/** What went wrong with a request or a callback, each thing once. */

import { readJson } from '../data/mistakes.ts';
import type { Schemas } from '../data/schemas.ts';
import { firstOf, generalise, generalisePlace, type Kind, kindOf } from './problems-cause.ts';

type Journalled = Schemas['RequestSummary'];

/** One thing that went wrong once. */
export interface Finding {
  readonly kind: Kind;
  /** How hard it is: refused, or only remarked upon. */
  readonly show: 'refused' | 'entries' | 'warnings' | 'callbacks';
  /** What was asked for: an operation, or method and path where there is none such. */
  readonly operation: string;
  readonly place: string;
  readonly cause: string;
  /** The message as it came this time. */
  readonly said: string;
  readonly scenario: string;
  readonly project: string;
  /** Empty where it is not among the requests that are looked at. */
  readonly requestId: string;
  /** The callback that tells of it, if one does. */
  readonly callbackId: string;
  readonly at: string;
}

interface Failed {
  readonly id: string;
  readonly reason: string;
}

/** Which scenario did one of these things to a request. */
function scenarioOf({ rules }: Pick<Journalled, 'rules'>, effects: readonly string[]): string {
  const acted = rules.find(({ fired, why }) => {
    const did = /: ([a-z, ]+)$/.exec(why)?.[1]?.split(', ') ?? [];
    return fired && did.some((effect) => effects.includes(effect));
  });
  return acted?.scenario ?? '';
}

const onTheWire: Readonly<Record<string, string>> = {
  reset: 'the connection was reset, with no answer',
  close: 'the connection was closed, with no answer',
  hang: 'no answer came, and the connection stayed open',
  truncate: 'the answer broke off in the middle',
  drip: 'the answer came a byte at a time',
};

/** All that went wrong with a request; of a refused one the first mistake, since the others often come of it. */
export function findIn(request: Journalled): readonly Finding[] {
  const { operation, method, path, project, id, at, warnings } = request;
  const common = {
    operation: operation ?? `${method} ${path}`,
    project: project ?? '',
    requestId: id,
    callbackId: '',
    at,
    scenario: '',
  };
  const texts = [...new Set(warnings.map(readWarning).map((one) => JSON.stringify(one)))];
  const remarks = texts.map((text) => {
    const { place, message } = JSON.parse(text) as ReturnType<typeof readWarning>;
    return { ...common, show: 'warnings' as const, kind: kindOf(message), place, ...saying(message) };
  });
  return [...findAnswer(request, common), ...remarks.filter(({ cause }) => !/^and [\d,.]+ more$/.test(cause))];
}

function readWarning(warning: string): { place: string; message: string } {
  const [, path = '', message = warning] = /^(\/\S*|[a-z]+:\S+?): (.*)$/s.exec(warning) ?? [];
  return { place: generalisePlace(path), message };
}

function saying(said: string): Pick<Finding, 'cause' | 'said'> {
  return { cause: generalise(said), said };
}

type Common = Omit<Finding, 'show' | 'kind' | 'place' | 'cause' | 'said'>;

function findAnswer(request: Journalled, common: Common): readonly Finding[] {
  const { status, fault, response } = request;
  const answer = (readJson(response.body) ?? {}) as {
    readonly message?: unknown;
    readonly errors?: readonly Schemas['Violation'][];
    readonly failed?: readonly Failed[];
  };
  const show = 'refused';
  if (fault) {
    const scenario = scenarioOf(request, ['connection']);
    return [{ ...common, show, scenario, kind: 'scenarioConnection', place: '', ...saying(onTheWire[fault] ?? fault) }];
  }
  if (status < 400) {
    return (Array.isArray(answer.failed) ? answer.failed : []).map((failed: Failed) => ({
      ...common,
      show: 'entries',
      ...toCause(failed, request),
    }));
  }
  const limiter = scenarioOf(request, ['limit']);
  const scenario = limiter || scenarioOf(request, ['respond']);
  const said = typeof answer.message === 'string' ? answer.message : '';
  if (scenario !== '') {
    const cause = `answered with ${status}${said === '' ? '' : `: ${said.replace(/, try again in .*$/, '')}`}`;
    return [
      { ...common, show, scenario, kind: limiter ? 'scenarioLimit' : 'scenarioAnswer', place: '', cause, said: cause },
    ];
  }
  const [first] = Array.isArray(answer.errors) ? answer.errors : [];
  if (!first) return [{ ...common, show, ...toCause({ id: '', reason: said || `status ${status}` }, request, status) }];
  const place = generalisePlace(first.path);
  return [{ ...common, show, kind: kindOf(first.message, status), place, ...saying(first.message) }];
}

/** Why an entry failed: by the document, by the records that there are, or because a scenario would have it. */
function toCause({ id, reason }: Failed, request: Pick<Journalled, 'rules'>, status = 0) {
  const { place, message } = firstOf(reason);
  const kind = kindOf(message, status);
  const scenario = kindOf(message) === 'other' ? scenarioOf(request, ['refuse', 'fail']) : '';
  const general = generalise(message);
  const cause = id.length > 1 ? general.replaceAll(id, '*') : general;
  return { kind: scenario === '' ? kind : ('scenarioEntry' as const), place, cause, said: message, scenario };
}

/**
 * What a callback tells of, and that it could not be delivered. `request` is what it came of: where that is older than
 * what is looked at, so is what is told, and nobody could say which scenario had it so.
 */
export function findInCallback(
  project: string,
  { id, state, requestId, operation, body, dueAt, attempts }: Schemas['Callback'],
  request: Pick<Journalled, 'rules'> | undefined,
): readonly Finding[] {
  const { timestamp, data } = body as { timestamp?: string; data?: { failed?: readonly Failed[] } };
  const common = {
    ...{ show: 'callbacks' as const, operation, project, callbackId: id },
    requestId: request === undefined ? '' : requestId,
  };
  const failed = request
    ? (data?.failed ?? []).map((one) => ({ ...common, at: timestamp ?? dueAt, ...toCause(one, request) }))
    : [];
  if (state !== 'failed') return failed;
  const last = attempts.at(-1);
  const why = last?.error ?? (last?.status === undefined ? 'no answer' : `the receiver answered ${last.status}`);
  const cause = `the callback could not be delivered: ${why}`;
  return [
    ...failed,
    { ...common, at: last?.at ?? dueAt, kind: 'undelivered', place: '', cause, said: cause, scenario: '' },
  ];
}
