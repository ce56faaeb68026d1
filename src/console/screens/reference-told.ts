/** Plugins by which Swagger UI tells what is done in it. */
import { keepBody } from '../data/request-bodies.ts';
import type { Tried } from './reference-outcome.ts';

export interface Told {
  /** An operation was opened by hand, or closed. */
  readonly opened: (operation: string, isOpen: boolean) => void;
  /** A request was sent or answered; `place` is its operation's path and method. */
  readonly tried: (tried: Tried, place: Place) => void;
}

export type Place = readonly [path: string, method: string];

interface Response {
  readonly status: number;
  readonly text?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal comes as an error that holds the response; one without a response is that none came. */
type Outcome = Response | { readonly error: true; readonly err: { readonly response?: Response } };

type Action<Given extends readonly unknown[]> = (...given: Given) => unknown;

/** Does something besides an action. */
function besides<Given extends readonly unknown[]>(extra: (...given: Given) => void) {
  return (original: Action<Given>): Action<Given> =>
    (...given) => {
      const result = original(...given);
      extra(...given);
      return result;
    };
}

export function createTelling({ opened, tried }: Told): object {
  const show = besides((thing: readonly string[] | string, isShown: boolean) => {
    const [kind, , operation, part] = typeof thing === 'string' ? [thing] : thing;
    if (kind === 'operations' && operation !== undefined && part === undefined) opened(operation, isShown);
  });
  const setRequest = besides((...place: Place) => tried({ is: 'sent' }, place));
  const setResponse = besides((path: string, method: string, outcome: Outcome) =>
    tried(toTried(outcome), [path, method]),
  );
  const setRequestBodyValue = besides(({ pathMethod, value }: { pathMethod: Place; value: unknown }) => {
    if (typeof value === 'string') keepBody({ pathMethod, value });
  });
  return {
    statePlugins: {
      layout: { wrapActions: { show } },
      spec: { wrapActions: { setRequest, setResponse } },
      oas3: { wrapActions: { setRequestBodyValue } },
    },
  };
}

function toTried(outcome: Outcome): Tried {
  const response = 'error' in outcome ? outcome.err.response : outcome;
  const requestId = response?.headers?.['x-request-id'];
  if (response === undefined || requestId === undefined) return { is: 'broken' };
  return { is: 'answered', status: response.status, text: String(response.text ?? ''), requestId };
}
