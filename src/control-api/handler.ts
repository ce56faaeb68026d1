/** Defines the input and output of control API handlers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '../callbacks/callback.ts';
import type { Coverage } from '../coverage/coverage.ts';
import type { Placed, RequestHandlerDeps, RunHere } from '../http/handler-deps.ts';
import { type Stream, toUnsavedProblem } from '../http/reply.ts';
import type { Counters, ProcessCounters } from '../journal/counters.ts';
import type { JournalEntry, RecordedSetting } from '../journal/entry.ts';
import type { EventLog } from '../journal/events.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { toJsonPieces } from '../lib/chunks.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Problem } from '../lib/problem.ts';
import { createSlices, type Slices } from '../lib/slices.ts';
import { toTimestamp } from '../lib/time.ts';
import type { ApiDocument } from '../openapi/api-document.ts';
import type { components, operations } from '../openapi/control.gen.ts';
import type { OverlayFile } from '../openapi/profile/overlay/apply-overlays.ts';
import type { Profile } from '../openapi/profile/profile.ts';
import type { Project } from '../project/project.ts';
import { createRecords } from '../records/records.ts';
import type { Scenario } from '../scenarios/types.ts';
import type { AdmittedProject } from '../usage/admission.ts';
import { ProjectUsage } from '../usage/size.ts';
import type { Caller, Session } from './caller.ts';

export type ControlId = keyof operations;

/** Addresses for TLS. */
export interface TlsAddress {
  readonly url: string;
  /** URL of the certificate that clients must trust, served without TLS; undefined if only the operator has it. */
  readonly caUrl: string | undefined;
}

export interface ControlParts extends RequestHandlerDeps {
  readonly magicIds: boolean;
  /** The active profile. */
  readonly profile: Profile;
  /** The API's document with the profile applied. */
  readonly document: ApiDocument;
  /** The overlay files of the profile. */
  readonly overlays: readonly OverlayFile[] | undefined;
  readonly session: Session;
  readonly keys: KeyRing;
  /** Where requests for a project are handled; undefined: at this server. */
  readonly controlPlacement?: ControlPlacement | undefined;
  /** The default API key, if it is enabled. */
  readonly publishedKey: string | undefined;
  /** URL template of the tiles of the console's map. */
  readonly mapTiles: string | undefined;
  /** Returns the addresses for TLS; defined once the server listens, if TLS is on. */
  tls(): TlsAddress | undefined;
  isShuttingDown(): boolean;
  /** Whether the server reaches the database that it shares with others. */
  isConnected(): boolean;
  /** The certificate that clients must trust, as PEM; undefined if there is none, or if it is unknown. */
  authority(): string | undefined;
  readonly events: EventLog;
  readonly counters: Counters;
  /** Counters of the process that runs the server. */
  readonly processCounters: Readonly<ProcessCounters>;
  readonly coverage: Coverage;
  /** Callback endpoint of projects without their own. */
  readonly defaultEndpoint: Endpoint | undefined;
  /** Returns the reason why a callback URL is not allowed, or undefined if it is. */
  checkCallbackUrl(url: string): string | undefined;
  /** Whether the operator limits the hosts that callbacks are sent to. */
  readonly limitsCallbackHosts: boolean;
}

/** A validated request. */
export interface ControlRequest {
  /** Who sends it. The project in its path or query is one that the caller may use. */
  readonly caller: Caller;
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly isSecure: boolean;
  /** Address of the client; empty for local calls. */
  readonly address: string;
  /** The JSON value, or the text of a YAML body; undefined if there is no body. */
  readonly body: unknown;
  readonly isYaml: boolean;
  /** Estimated memory of the body, in bytes. */
  readonly bodyBytes: number;
  /** Calls the listener at disconnection. Returns a function that unsubscribes. Undefined for local calls. */
  readonly onLeave?: (listener: () => void) => () => void;
}

/** A request of the control API. */
export interface PlacedControlRequest {
  readonly id: ControlId;
  /** Undefined if it is not for one project. */
  readonly project: string | undefined;
  readonly request: ControlRequest;
  readonly isRead: boolean;
}

/** Where requests of the control API are handled, if several servers share the projects. */
export interface ControlPlacement {
  /** Handles a request at the server that owns its project, or with what all servers have. */
  handle(placed: PlacedControlRequest, here: RunHere): Promise<Placed>;
  /** Opens the events of all servers, of one project or of all: from now on, or from after an id. */
  follow(wanted: {
    readonly project: string | undefined;
    readonly lastId: string | undefined;
  }): Promise<FollowedEvents>;
  /** Lists the stray requests of other servers that name a project, as far as they answer soon. */
  listStrays(project: string): Promise<readonly JournalEntry[]>;
  /** Makes the other servers drop them. Resolves once all have done so that answer soon. */
  dropStrays(project: string): Promise<void>;
  /** Stores a scenario in the libraries of all servers, or removes it. Resolves once all have it. */
  shareScenario(name: string, text: string | undefined): Promise<void>;
  /** Activates scenarios for the projects of all servers. Resolves once all have done so. */
  shareServerScenarios(scenarios: readonly Scenario[]): Promise<void>;
  /**
   * Makes this server, which owns the project `from`, the owner of one that does not exist. Returns false if it exists.
   */
  claimNew(project: string, from: string): Promise<boolean>;
  /** Gives up a project that was claimed so, unless it was created. */
  releaseNew(project: string): void;
  /** How the other servers know this one, and how many they are. */
  readonly replica: { readonly id: string; others(): number };
}

/** Events to subscribe to, once. */
export interface FollowedEvents extends Pick<EventLog, 'subscribe' | 'lastId'> {
  /** Gives them up, with or without a subscription. */
  readonly giveUp: () => void;
}

type Responses<Id extends ControlId> = operations[Id]['responses'];

/** A value of the document as handlers return it: read-only, and with undefined for fields that are left out. */
export type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Sent<Value[Key]> | (object extends Pick<Value, Key> ? undefined : never) }
    : Value;

/** A schema of the document, as handlers return it. */
export type Schema<Name extends keyof components['schemas']> = Sent<components['schemas'][Name]>;

/** Content of a successful response. */
type SuccessContent<Response> = Response extends { content: { 'application/json': infer Body } }
  ? { readonly body: Sent<Body> } | { readonly pieces: Iterable<string> }
  : Response extends { content: { 'text/event-stream': string } }
    ? { readonly stream: Stream }
    : Response extends { content: object }
      ? { readonly text: string }
      : { readonly body: undefined };

interface SuccessHead<Status> {
  readonly status: Status;
  readonly headers?: Readonly<Record<string, string>>;
  /** The project that was changed, if it is not the one in the path. */
  readonly changed?: string;
}

/** A successful response that the document declares for an operation, or a problem. */
export type ControlReply<Id extends ControlId> =
  | {
      [Status in keyof Responses<Id>]: Status extends 200 | 201 | 204
        ? SuccessHead<Status> & SuccessContent<Responses<Id>[Status]>
        : never;
    }[keyof Responses<Id>]
  | Rejection;

type Given<Id extends ControlId, Place extends 'path' | 'query'> = operations[Id]['parameters'] extends {
  [Key in Place]?: never;
}
  ? object
  : NonNullable<operations[Id]['parameters'][Place]>;

type BodyOf<Id extends ControlId> = operations[Id] extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : unknown;

/** A request of one operation, with the values that the document describes. */
export interface OperationRequest<Id extends ControlId> extends ControlRequest {
  readonly params: ControlRequest['params'] & Given<Id, 'path'>;
  readonly query: ControlRequest['query'] & Given<Id, 'query'>;
  readonly body: BodyOf<Id>;
}

type Handled<Id extends ControlId> = ControlReply<Id> | Promise<ControlReply<Id>>;

/** `project`: that of the path or the query, if it exists. */
type ControlHandler<Id extends ControlId> = (
  parts: ControlParts,
  request: OperationRequest<Id>,
  project: Project | undefined,
) => Handled<Id>;

/** Handlers by operation. Together they cover all operations of the document, which its examples test. */
export type ControlHandlers<Id extends ControlId> = { readonly [Key in Id]: ControlHandler<Key> };
export type SomeHandlers = Partial<ControlHandlers<ControlId>>;

export function ok<Body>(body: Body): { readonly status: 200; readonly body: Body } {
  return { status: 200, body };
}

/** Creates a successful response with a long body: an object whose lists can be any iterables. */
export function okInPieces(body: object): { readonly status: 200; readonly pieces: Iterable<string> } {
  return { status: 200, pieces: toJsonPieces(body) };
}

export const noContent: { readonly status: 204; readonly body: undefined } = { status: 204, body: undefined };

/** An error response. */
export interface Rejection {
  readonly problem: Problem;
}

/** Creates an error response. `path`: where the mistake is, such as `/url` or `query:since`. */
export function reject(kind: Problem['kind'], message: string, path?: string): Rejection {
  return { problem: path === undefined ? { kind, message } : { kind, message, errors: [{ path, message }] } };
}

/** Logs why a change could not be saved. Returns its problem. */
export function toUnsaved(parts: Pick<ControlParts, 'createRequestId' | 'logUnsaved'>, error: unknown): Problem {
  const id = parts.createRequestId();
  parts.logUnsaved(id, error);
  return toUnsavedProblem(id);
}

export const badCursor: Rejection = reject(
  'invalid',
  'expected the value of `next` from another page of this list',
  'query:cursor',
);

/**
 * Records a setting in the journal, for recordings; call it before the change. Returns the time of the project's clock
 * in milliseconds, at which to make the change. `bytes`: the size of the setting, if known; `atMs`: the time of the
 * change, by default now.
 */
export function recordSetting(
  { journal }: ControlParts,
  project: Project,
  setting: RecordedSetting,
  { bytes, atMs = project.runDue() }: { readonly bytes?: number; readonly atMs?: number } = {},
): number {
  journal.addSetting(project.id, { change: project.nextChangeNumber(), atMs, setting }, bytes);
  return atMs;
}

export function projectOf(request: ControlRequest): string {
  return request.params['projectId'] ?? '';
}

/** Returns when the last span of time began, such as 10m, by the clock of a project, or by that of the server. */
export function startOfSpan(
  { projects, defaultClock, wall }: ControlParts,
  project: string | undefined,
  span: string,
): string {
  const now = (project === undefined ? undefined : projects.peek(project)?.now()) ?? defaultClock.nowMs ?? wall.now();
  return toTimestamp(now - (parseDuration(span) ?? 0));
}

/** Returns what the project of a request uses, without creating it: a change may still be refused. */
export function usedBy({ projects }: Pick<ControlParts, 'projects'>, request: ControlRequest): AdmittedProject {
  const id = projectOf(request);
  return projects.find(id) ?? { id, usage: new ProjectUsage(), state: { records: createRecords() } };
}

/** Creates the slices of long work for a request. Each takes its turn among those of all keys and projects. */
export function slicesFor({ wall, admission }: ControlParts, { caller, params, query }: ControlRequest): Slices {
  const project = params['projectId'] ?? query['project'] ?? '';
  return createSlices(wall, () => admission.turns.next(caller.key?.id ?? '', String(project)));
}
