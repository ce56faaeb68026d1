/** What a handler of the control API is given and gives back. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Problem } from '../../base/problem.ts';
import type { Endpoint } from '../../callbacks/callback.ts';
import type { operations } from '../../contract/control.gen.ts';
import type { Coverage } from '../../coverage/coverage.ts';
import type { Events } from '../../journal/events.ts';
import type { Setting } from '../../journal/recording.ts';
import type { Tally } from '../../journal/tally.ts';
import type { World } from '../../world.ts';
import type { PipelineParts } from '../pipeline.ts';
import type { Stream } from '../reply.ts';
import type { Session } from './session.ts';

export type ControlId = keyof operations;

/** Where a sandbox is over TLS. */
export interface TlsPlace {
  readonly url: string;
  /** Where the certificate is that clients are to trust, without TLS; undefined where only the operator has it. */
  readonly caUrl: string | undefined;
}

/** What the control API shows and moves. */
export interface ControlParts extends PipelineParts {
  readonly magicIds: boolean;
  /** The answers to what the API's documentation does not show, as they are in force. */
  readonly profile: object;
  /** Who may come in where an admin token is asked for. */
  readonly session: Session;
  /** The published key, where it is in use. */
  readonly publishedKey: string | undefined;
  /** Where the console's map has its pictures from. */
  readonly mapTiles: string | undefined;
  /** Where it is over TLS; known once the server listens. */
  tls(): TlsPlace | undefined;
  /** The certificate, as PEM, that clients are to trust; undefined where there is none, or it is not known. */
  readonly authority: string | undefined;
  readonly events: Events;
  readonly tally: Tally;
  readonly coverage: Coverage;
  /** Where callbacks of a project go that was not told otherwise. */
  readonly defaultEndpoint: Endpoint | undefined;
  /** Why a callback URL may not be called, or undefined where it may. */
  refuseUrl(url: string): string | undefined;
}

/** A judged request. */
export interface ControlRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  /** The JSON value, or the text where it is YAML; undefined where there is none. */
  readonly body: unknown;
  readonly isYaml: boolean;
  /** Calls back once the client has gone; gives back what ends that. Not there where nobody asked over a network. */
  readonly onLeave?: (listener: () => void) => () => void;
}

type Responses<Id extends ControlId> = operations[Id]['responses'];

type SuccessBody<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** What a success is answered with: a stream where the document says that events come. */
type SuccessContent<Response> = Response extends { content: { 'text/event-stream': string } }
  ? { readonly stream: Stream }
  : Response extends { content: { 'text/plain': string } | { 'application/x-pem-file': string } }
    ? { readonly text: string }
    : { readonly body: SuccessBody<Response> };

/** Every success that the document has for an operation, or a problem. */
export type ControlReply<Id extends ControlId> =
  | {
      [Status in keyof Responses<Id>]: Status extends 200 | 201 | 204
        ? { readonly status: Status; readonly headers?: Readonly<Record<string, string>> } & SuccessContent<
            Responses<Id>[Status]
          >
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

/** The refusal of a cursor that no page gave. */
export const badCursor: { readonly problem: Problem } = refuse(
  'invalid',
  'expected the `next` of another page of this list',
  'query:cursor',
);

/**
 * Notes for recordings what is about to be set in a world; to be called before it is. Gives back the project's now in
 * milliseconds, at which it is to be set.
 */
export function noteSetting({ journal }: ControlParts, world: World, setting: Setting): number {
  const atMs = world.moment();
  journal.note(world.id, { change: world.nextChange(), atMs, setting });
  return atMs;
}

/** The project that the path names. */
export function projectOf(request: ControlRequest): string {
  return request.params['projectId'] ?? '';
}
