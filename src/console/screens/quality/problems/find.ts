/** Finds everything that went wrong with a request or a callback. */
import type { Schemas } from '../../../data/schemas.ts';
import { firstOf, generalise, generalisePlace, type Kind, kindOf } from './cause.ts';

type RequestProblem = Schemas['RequestProblem'];
type FailedEntry = Schemas['FailedEntry'];

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
  /** Whether the request has more such failures than the sandbox lists. */
  readonly isCut?: boolean;
}

/** Returns the scenario that caused one of these effects for a request. */
function scenarioOf({ rules }: Pick<RequestProblem, 'rules'>, effects: readonly string[]): string {
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
export function findIn(request: RequestProblem): readonly Finding[] {
  const { operation, method, path, project, id, at, warnings } = request;
  const common = {
    operation: operation ?? `${method} ${path}`,
    project: project ?? '',
    requestId: id,
    callbackId: '',
    at,
    scenario: '',
  };
  // Warnings that differ only in the index of their entry count once.
  const byText = new Map(warnings.map(readWarning).map((one) => [`${one.place} ${one.message}`, one]));
  const warningFindings = [...byText.values()].map(({ place, message }) => {
    return { ...common, show: 'warnings' as const, kind: kindOf(message), place, ...describe(message) };
  });
  return [
    ...findInResponse(request, common),
    ...findReported(request, common),
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

function findInResponse(request: RequestProblem, common: Common): readonly Finding[] {
  const { status, fault, message, errors, failed, failedCount } = request;
  if (fault) return [brokenConnection(request, fault, common)];
  if (status < 400) {
    const isCut = failedCount > failed.length;
    return failed.map((entry) => ({ ...common, isCut, show: 'entries', ...toCause(entry, request) }));
  }
  const byScenario = findScenarioResponse(request, message, common);
  if (byScenario) return [byScenario];
  const [first] = errors;
  if (!first) {
    const reason = message || `status ${status}`;
    return [{ ...common, show: 'refused', ...toCause({ id: '', reason }, request, status) }];
  }
  const kind = kindOf(first.message, status);
  return [{ ...common, show: 'refused', kind, place: generalisePlace(first.path), ...describe(first.message) }];
}

function brokenConnection(request: RequestProblem, fault: string, common: Common): Finding {
  const scenario = scenarioOf(request, ['connection']);
  const description = describe(connectionFaults[fault] ?? fault);
  return { ...common, show: 'refused', scenario, kind: 'scenarioConnection', place: '', ...description };
}

/** Returns the response of a scenario as a finding, or undefined if no scenario sent the response. */
function findScenarioResponse(request: RequestProblem, message: string, common: Common): Finding | undefined {
  const limitScenario = scenarioOf(request, ['limit']);
  const scenario = limitScenario || scenarioOf(request, ['respond']);
  if (scenario === '') return undefined;
  const kind = limitScenario ? 'scenarioLimit' : 'scenarioResponse';
  const shownMessage = message === '' ? '' : `: ${message.replace(/, try again in .*$/, '')}`;
  const cause = `responded with ${request.status}${shownMessage}`;
  return { ...common, show: 'refused', scenario, kind, place: '', cause, message: cause };
}

/** Determines why an entry failed: by the API document, by the stored records, or by a scenario. */
function toCause({ id, reason }: FailedEntry, request: Pick<RequestProblem, 'rules'>, status = 0) {
  const { place, message } = firstOf(reason);
  const kind = kindOf(message, status);
  const scenario = kindOf(message) === 'other' ? scenarioOf(request, ['refuse', 'fail']) : '';
  const generalised = generalise(message);
  const cause = id.length > 1 ? generalised.replaceAll(id, '*') : generalised;
  return { kind: scenario === '' ? kind : ('scenarioEntry' as const), place, cause, message, scenario };
}

/** Finds the failures that the callbacks of a request report. */
function findReported(request: RequestProblem, common: Common): readonly Finding[] {
  const isCut = request.reportedCount > request.reported.length;
  return request.reported.map(({ callback, at, ...entry }) => {
    return { ...common, at, isCut, show: 'callbacks', callbackId: callback, ...toCause(entry, request) };
  });
}

/** Describes a callback that could not be delivered. `isKnown`: whether its request is among those that were loaded. */
export function toUndelivered(callback: Schemas['CallbackRow'], isKnown: boolean): Finding {
  const { id, project, requestId, operation, dueAt, attempts } = callback;
  const last = attempts.at(-1);
  const reason =
    last?.error ?? (last?.status === undefined ? 'no response' : `the receiver responded with ${last.status}`);
  const cause = `the callback could not be delivered: ${reason}`;
  return {
    ...{ show: 'callbacks', kind: 'undelivered', operation, project, place: '', scenario: '', cause, message: cause },
    ...{ requestId: isKnown ? requestId : '', callbackId: id, at: last?.at ?? dueAt },
  };
}
