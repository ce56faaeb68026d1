/** What a handler of the control API is given and gives back. */
import type { Problem } from '../../base/problem.ts';
import type { Endpoint } from '../../callbacks/callback.ts';
import type { operations } from '../../contract/control.gen.ts';
import type { PipelineParts } from '../pipeline.ts';

export type ControlId = keyof operations;

/** What the control API shows and moves. */
export interface ControlParts extends PipelineParts {
  readonly serverScenarios: readonly string[];
  readonly magicIds: boolean;
  readonly controlDocument: object;
  /** Where callbacks of a project go that was not told otherwise. */
  readonly defaultEndpoint: Endpoint | undefined;
  /** Why a callback URL may not be called, or undefined where it may. */
  refuseUrl(url: string): string | undefined;
}

/** A judged request. */
export interface ControlRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The JSON value, or the text where it is YAML; undefined where there is none. */
  readonly body: unknown;
  readonly isYaml: boolean;
}

type Responses<Id extends ControlId> = operations[Id]['responses'];

type SuccessBody<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** Every success that the document has for an operation, or a problem. */
export type ControlReply<Id extends ControlId> =
  | {
      [Status in keyof Responses<Id>]: Status extends 200 | 201 | 204
        ? { readonly status: Status; readonly body: SuccessBody<Responses<Id>[Status]> }
        : never;
    }[keyof Responses<Id>]
  | { readonly problem: Problem };

export type ControlHandler<Id extends ControlId> = (
  parts: ControlParts,
  request: ControlRequest,
) => ControlReply<Id> | Promise<ControlReply<Id>>;

/** Some of the handlers; all of them together must be all of the document's. */
export type ControlHandlers<Id extends ControlId> = { readonly [Key in Id]: ControlHandler<Key> };

/** A success with a body. */
export function ok<Body>(body: Body): { readonly status: 200; readonly body: Body } {
  return { status: 200, body };
}

export const gone: { readonly status: 204; readonly body: undefined } = { status: 204, body: undefined };

/** A refusal. */
export function refuse(kind: Problem['kind'], message: string, path?: string): { readonly problem: Problem } {
  return { problem: path === undefined ? { kind, message } : { kind, message, errors: [{ path, message }] } };
}

/** The project that the path names. */
export function projectOf(request: ControlRequest): string {
  return request.params['projectId'] ?? '';
}
