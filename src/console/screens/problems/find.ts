/** Finds everything that went wrong with a request or a callback. */

import { readJson } from '../../data/mistakes.ts';
import type { Schemas } from '../../data/schemas.ts';
import { firstOf, generalise, generalisePlace, type Kind, kindOf } from './cause.ts';

type RequestSummary = Schemas['RequestSummary'];

/** One failure. */
export interface Finding {
  readonly kind: Kind;
  /** The severity: rejected, or only a warning. */
  readonly show: 'refused' | 'entries' | 'warnings' | 'callbacks';
  /** The operation, or method and path if no operation matches. */
  readonly operation: string;
  readonly place: string;
  readonly cause: string;
  /** The original message. */
  readonly message: string;
  readonly scenario: string;
  readonly project: string;
  /** Empty if the request is not among those that were loaded. */
  readonly requestId: string;
  /** The id of the callback that reports the failure, or empty. */
  readonly callbackId: string;
  readonly at: string;
}

interface Failed {
  readonly id: string;
  readonly reason: string;
}

/** Returns the scenario that caused one of these effects for a request. */
function scenarioOf({ rules }: Pick<RequestSummary, 'rules'>, effects: readonly string[]): string {
  const firedRule = rules.find(({ fired, why }) => {
    const applied = /: ([a-z, ]+)$/.exec(why)?.[1]?.split(', ') ?? [];
    return fired && applied.some((effect) => effects.includes(effect));
  });
  return firedRule?.scenario ?? '';
}

const connectionFaults: Readonly<Record<string, string>> = {
  reset: 'the connection was reset without a response',
  close: 'the connection was closed without a response',
  hang: 'no response was sent, and the connection stayed open',
  truncate: 'the response was cut off',
  drip: 'the response was sent byte by byte',
};

/**
 * Finds everything that went wrong with a request. For a rejected request it returns only the first error, because it
 * often causes the others.
 */
export function findIn(request: RequestSummary): readonly Finding[] {
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
  const warningFindings = texts.map((text) => {
    const { place, message } = JSON.parse(text) as ReturnType<typeof readWarning>;
    return { ...common, show: 'warnings' as const, kind: kindOf(message), place, ...describe(message) };
  });
  return [
    ...findInResponse(request, common),
    ...warningFindings.filter(({ cause }) => !/^and [\d,.]+ more$/.test(cause)),
  ];
}

function readWarning(warning: string): { place: string; message: string } {
  const [, path = '', message = warning] = /^(\/\S*|[a-z]+:\S+?): (.*)$/s.exec(warning) ?? [];
  return { place: generalisePlace(path), message };
}

function describe(message: string): Pick<Finding, 'cause' | 'message'> {
  return { cause: generalise(message), message };
}

type Common = Omit<Finding, 'show' | 'kind' | 'place' | 'cause' | 'message'>;

function findInResponse(request: RequestSummary, common: Common): readonly Finding[] {
  const { status, fault, response } = request;
  const body = (readJson(response.body) ?? {}) as {
    readonly message?: unknown;
    readonly errors?: readonly Schemas['Violation'][];
    readonly failed?: readonly Failed[];
  };
  const show = 'refused';
  if (fault) {
    const scenario = scenarioOf(request, ['connection']);
    return [
      {
        ...common,
        show,
        scenario,
        kind: 'scenarioConnection',
        place: '',
        ...describe(connectionFaults[fault] ?? fault),
      },
    ];
  }
  if (status < 400) {
    return (Array.isArray(body.failed) ? body.failed : []).map((failed: Failed) => ({
      ...common,
      show: 'entries',
      ...toCause(failed, request),
    }));
  }
  const limitScenario = scenarioOf(request, ['limit']);
  const scenario = limitScenario || scenarioOf(request, ['respond']);
  const message = typeof body.message === 'string' ? body.message : '';
  if (scenario !== '') {
    const cause = `responded with ${status}${message === '' ? '' : `: ${message.replace(/, try again in .*$/, '')}`}`;
    return [
      {
        ...common,
        show,
        scenario,
        kind: limitScenario ? 'scenarioLimit' : 'scenarioAnswer',
        place: '',
        cause,
        message: cause,
      },
    ];
  }
  const [first] = Array.isArray(body.errors) ? body.errors : [];
  if (!first)
    return [{ ...common, show, ...toCause({ id: '', reason: message || `status ${status}` }, request, status) }];
  const place = generalisePlace(first.path);
  return [{ ...common, show, kind: kindOf(first.message, status), place, ...describe(first.message) }];
}

/** Determines why an entry failed: by the API document, by the stored records, or by a scenario. */
function toCause({ id, reason }: Failed, request: Pick<RequestSummary, 'rules'>, status = 0) {
  const { place, message } = firstOf(reason);
  const kind = kindOf(message, status);
  const scenario = kindOf(message) === 'other' ? scenarioOf(request, ['refuse', 'fail']) : '';
  const generalised = generalise(message);
  const cause = id.length > 1 ? generalised.replaceAll(id, '*') : generalised;
  return { kind: scenario === '' ? kind : ('scenarioEntry' as const), place, cause, message, scenario };
}

/**
 * Finds the failures that a callback reports, and whether it could not be delivered. `request` is the request that
 * caused the callback. If it is older than the loaded requests, so are its failures, and the scenario that caused them
 * is unknown: they are left out.
 */
export function findInCallback(
  project: string,
  { id, state, requestId, operation, body, dueAt, attempts }: Schemas['Callback'],
  request: Pick<RequestSummary, 'rules'> | undefined,
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
  const reason =
    last?.error ?? (last?.status === undefined ? 'no response' : `the receiver responded with ${last.status}`);
  const cause = `the callback could not be delivered: ${reason}`;
  return [
    ...failed,
    { ...common, at: last?.at ?? dueAt, kind: 'undelivered', place: '', cause, message: cause, scenario: '' },
  ];
}
