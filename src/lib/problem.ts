/** Defines all kinds of errors that the server sends, with their statuses and codes. */

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

/** Messages for responses without a more specific one, by status. */
const defaultMessages: Readonly<Record<number, string>> = {
  400: 'the request is not valid',
  401: 'the API key is missing or unknown',
  403: 'this API key is for another project or region',
  404: 'the path or record does not exist',
  405: 'this path does not support the method',
  408: 'the request was not received in time',
  409: 'the record exists already',
  413: 'the body is too large',
  415: 'the content type is not supported',
  422: 'a downstream system rejected the request',
  429: 'too many requests',
  431: 'the request line and headers are too large',
  500: 'internal error',
  502: 'a downstream system sent an invalid response',
  503: 'the service is unavailable',
  504: 'a downstream system did not respond in time',
  507: 'a storage limit of the sandbox is reached',
};

/** Returns the message for a status that a scenario sets without a body. */
export function toDefaultMessage(status: number): string {
  return defaultMessages[status] ?? `a scenario set the status ${status}`;
}

export type ProblemKind = keyof typeof catalogue;

/** The codes of errors. The OpenAPI document declares and explains them. */
export type ErrorCode =
  | 'invalid_request'
  | 'malformed_request'
  | 'missing_api_key'
  | 'unknown_api_key'
  | 'foreign_api_key'
  | 'not_found'
  | 'unknown_path'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'duplicate'
  | 'too_large'
  | 'unsupported_media_type'
  | 'rejected_downstream'
  | 'too_many_requests'
  | 'headers_too_large'
  | 'internal_error'
  | 'bad_gateway'
  | 'unavailable'
  | 'gateway_timeout'
  | 'insufficient_storage';

/** Code of each kind of error in the API's responses; the control API has no codes. */
export const codes: Readonly<Record<ProblemKind, ErrorCode | undefined>> = {
  invalid: 'invalid_request',
  malformed: 'malformed_request',
  missingKey: 'missing_api_key',
  unknownKey: 'unknown_api_key',
  foreignKey: 'foreign_api_key',
  foreignOrigin: undefined,
  notFound: 'not_found',
  unknownPath: 'unknown_path',
  unknownMethod: 'method_not_allowed',
  duplicate: 'duplicate',
  conflict: undefined,
  timeout: 'request_timeout',
  tooLarge: 'too_large',
  unsupportedType: 'unsupported_media_type',
  unmetExpectation: 'invalid_request',
  misdirected: 'invalid_request',
  downstream: 'rejected_downstream',
  limited: 'too_many_requests',
  headTooLarge: 'headers_too_large',
  internal: 'internal_error',
  unconfirmed: 'bad_gateway',
  unavailable: 'unavailable',
  full: 'insufficient_storage',
};

/** Codes of statuses that scenarios set without a body. Other statuses have the code of 400 or 500. */
const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'unknown_api_key',
  403: 'foreign_api_key',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'duplicate',
  413: 'too_large',
  415: 'unsupported_media_type',
  422: 'rejected_downstream',
  429: 'too_many_requests',
  431: 'headers_too_large',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'gateway_timeout',
  507: 'insufficient_storage',
};

/** Returns the code for a status that a scenario sets without a body; undefined if it is no error. */
export function toDefaultCode(status: number): ErrorCode | undefined {
  if (status < 400) return undefined;
  return codesByStatus[status] ?? (status < 500 ? 'invalid_request' : 'internal_error');
}

/** An error to send to the client. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly errors?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of a problem that the journal shows beside a body without them. */
export type ShownProblem = Pick<Problem, 'message' | 'errors'>;

/** Maximum number of mistakes that a response lists; the rest are only counted. */
export const maxViolations = 100;
