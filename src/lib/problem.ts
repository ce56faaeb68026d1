/** Defines all kinds of errors that the server sends, with their statuses and codes. */

/** Why something went wrong, for programs: requests with the same causes have the same mistake in the client. */
export interface Cause {
  readonly kind: CauseKind;
  /** As the path of a violation, or a field of an entry, such as `location/coordinates`; empty for the whole. */
  readonly place: string;
  /** What was expected, without what was received. */
  readonly text: string;
  /** The operation that the client probably meant. */
  readonly operation?: string | undefined;
}

/** A mistake in a request: where it is, what was expected and what was received. */
export interface Violation {
  /** A JSON Pointer into the body (`/jobs/2/status`), or `header:NAME`, `path:NAME`, `query:NAME`. */
  readonly path: string;
  readonly message: string;
  /** The keyword of the schema that failed, and what it was about. Programs read these; responses leave them out. */
  readonly keyword?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Where the validated schema has the keyword, as a JSON Pointer that begins with `#`. */
  readonly schemaPath?: string;
  readonly cause?: Cause;
}

/** Creates a mistake whose message has no received value. */
export function withCause(kind: CauseKind, path: string, message: string): Violation & { readonly cause: Cause } {
  return { path, message, cause: { kind, place: path, text: message } };
}

/** What is unexpected in a request that was accepted. */
export type Warning = Pick<Violation, 'path' | 'message' | 'cause'>;

/** Kinds that are more precise than the kind of an error, and what scenarios and receivers cause. */
type MistakeKind =
  | 'unknownField'
  | 'missingField'
  | 'wrongValue'
  | 'wrongType'
  | 'wrongTime'
  | 'swapped'
  | 'disagreement'
  | 'notJson'
  | 'ambiguous'
  | 'emptyList'
  | 'unexpected'
  | 'unknownScenario'
  | 'unknownRecord'
  | 'pendingRecord'
  | 'subproject'
  | 'proof'
  | 'transition'
  | 'route'
  | 'scenarioResponse'
  | 'scenarioLimit'
  | 'scenarioEntry'
  | 'scenarioConnection'
  | 'undelivered';

/** Shows a warning as one text: its path, if it has one, and its message. */
export function toWarningText({ path, message }: Warning): string {
  return path === '' ? message : `${path}: ${message}`;
}

/** Default status of each kind of error; a profile can change some of them. */
export const catalogue = {
  invalid: 400,
  malformed: 400,
  missingKey: 401,
  unknownKey: 401,
  foreignKey: 403,
  foreignOrigin: 403,
  notFound: 404,
  unknownPath: 404,
  unknownMethod: 405,
  timeout: 408,
  duplicate: 409,
  conflict: 409,
  tooLarge: 413,
  unsupportedType: 415,
  unmetExpectation: 417,
  misdirected: 421,
  downstream: 422,
  limited: 429,
  headTooLarge: 431,
  internal: 500,
  unconfirmed: 502,
  unavailable: 503,
  full: 507,
} as const;

export type ProblemKind = keyof typeof catalogue;

export type CauseKind = ProblemKind | MistakeKind;

/** Code and message of each status, for responses without more specific ones. */
const ofStatus = {
  400: ['invalid_request', 'the request is not valid'],
  401: ['unknown_api_key', 'the API key is missing or unknown'],
  403: ['foreign_api_key', 'this API key is for another project or region'],
  404: ['not_found', 'the path or record does not exist'],
  405: ['method_not_allowed', 'this path does not support the method'],
  408: ['request_timeout', 'the request was not received in time'],
  409: ['duplicate', 'the record exists already'],
  413: ['too_large', 'the body is too large'],
  415: ['unsupported_media_type', 'the content type is not supported'],
  422: ['rejected_downstream', 'a downstream system rejected the request'],
  429: ['too_many_requests', 'too many requests'],
  431: ['headers_too_large', 'the request line and headers are too large'],
  500: ['internal_error', 'internal error'],
  502: ['bad_gateway', 'a downstream system sent an invalid response'],
  503: ['unavailable', 'the service is unavailable'],
  504: ['gateway_timeout', 'a downstream system did not respond in time'],
  507: ['insufficient_storage', 'a storage limit of the sandbox is reached'],
} as const;

/** Codes of kinds that differ from those of their statuses. */
const ofKind = {
  malformed: 'malformed_request',
  missingKey: 'missing_api_key',
  unknownPath: 'unknown_path',
} as const;

/** The codes of errors. The OpenAPI document declares and explains them. */
export type ErrorCode = (typeof ofStatus)[keyof typeof ofStatus][0] | (typeof ofKind)[keyof typeof ofKind];

/** Returns the code of a kind of error in the API's responses; the control API has no codes. */
export function codeOf(kind: ProblemKind): ErrorCode | undefined {
  if (kind === 'foreignOrigin' || kind === 'conflict') return undefined;
  return kind in ofKind ? ofKind[kind as keyof typeof ofKind] : toDefaultCode(catalogue[kind]);
}

/** Statuses of responses without a body. */
export const statusesWithoutBody: readonly number[] = [204, 205, 304];

/** Returns the message for a status that a scenario sets without a body. */
export function toDefaultMessage(status: number): string {
  return findStatus(status)?.[1] ?? `a scenario set the status ${status}`;
}

/** Returns the code for a status that a scenario sets without a body; undefined if it is no error. */
export function toDefaultCode(status: number): ErrorCode | undefined {
  if (status < 400) return undefined;
  return findStatus(status)?.[0] ?? (status < 500 ? 'invalid_request' : 'internal_error');
}

function findStatus(status: number): readonly [code: ErrorCode, message: string] | undefined {
  return (ofStatus as Readonly<Record<number, readonly [ErrorCode, string]>>)[status];
}

/** An error to send to the client. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly errors?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
  /** More fields for programs, in responses of the control API. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Default: its kind, with the text of its status. */
  readonly cause?: Cause | undefined;
}

/** Returns the cause of a problem. Its message may have received values. */
export function causeOf({ kind, cause, errors = [] }: Problem): Cause {
  return cause ?? { kind, place: errors[0]?.path ?? '', text: toDefaultMessage(catalogue[kind]) };
}

/** The parts of a problem that the journal shows beside a body without them. */
export type ShownProblem = Pick<Problem, 'message' | 'errors'>;

/** Maximum number of mistakes that a response lists; the rest are only counted. */
export const maxViolations = 100;
