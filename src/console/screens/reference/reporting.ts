/** Plugins that report the user's actions in Swagger UI. */
import type { TriedRequest } from './outcome.ts';

export interface UiHandlers {
  /** The user opened or closed an operation. */
  readonly opened: (operation: string, isOpen: boolean) => void;
  /** A request was sent, or its response arrived. `operation` is its path and method. */
  readonly tried: (tried: TriedRequest, operation: OperationKey) => void;
}

export type OperationKey = readonly [path: string, method: string];

/** The request bodies that the user typed, by operation. They are kept until the page is closed. */
export const typedBodies = new Map<string, { readonly pathMethod: OperationKey; readonly value: string }>();

interface Response {
  readonly status: number;
  readonly text?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A rejected request is an error with a response. An error without a response means that no response arrived. */
type Outcome = Response | { readonly error: true; readonly err: { readonly response?: Response } };

type Action<Arguments extends readonly unknown[]> = (...values: Arguments) => unknown;

/** Wraps an action so that `extra` runs after it. */
function runAfter<Arguments extends readonly unknown[]>(extra: (...values: Arguments) => void) {
  return (original: Action<Arguments>): Action<Arguments> =>
    (...values) => {
      const result = original(...values);
      extra(...values);
      return result;
    };
}

export function createReportingPlugin({ opened, tried }: UiHandlers): object {
  const show = runAfter((thing: readonly string[] | string, isShown: boolean) => {
    const [kind, , operation, part] = typeof thing === 'string' ? [thing] : thing;
    if (kind === 'operations' && operation !== undefined && part === undefined) opened(operation, isShown);
  });
  const setRequest = runAfter((...operation: OperationKey) => tried({ is: 'sent' }, operation));
  const setResponse = runAfter((path: string, method: string, outcome: Outcome) =>
    tried(toTried(outcome), [path, method]),
  );
  const setRequestBodyValue = runAfter(({ pathMethod, value }: { pathMethod: OperationKey; value: unknown }) => {
    if (typeof value === 'string') typedBodies.set(pathMethod.join(' '), { pathMethod, value });
  });
  return {
    statePlugins: {
      layout: { wrapActions: { show } },
      spec: { wrapActions: { setRequest, setResponse } },
      oas3: { wrapActions: { setRequestBodyValue } },
    },
  };
}

function toTried(outcome: Outcome): TriedRequest {
  const response = 'error' in outcome ? outcome.err.response : outcome;
  const requestId = response?.headers?.['x-request-id'];
  if (response === undefined || requestId === undefined) return { is: 'broken' };
  return { is: 'responded', status: response.status, text: String(response.text ?? ''), requestId };
}
