/** The catalogue of refusals: every kind of error an HTTP client can be given, with its status; knows of no HTTP library. */

/** Where something is wrong, and what was expected and what came. */
export interface Violation {
  /** A JSON Pointer into the body (`/jobs/2/status`), or `header:NAME`, `path:NAME`, `query:NAME`. */
  readonly path: string;
  readonly message: string;
}

/** Each kind of refusal and its status; a profile may give some of them another. */
export const catalogue = {
  invalid: 400,
  missingKey: 401,
  unknownKey: 401,
  foreignKey: 403,
  foreignOrigin: 403,
  notFound: 404,
  unknownPath: 404,
  unknownMethod: 405,
  duplicate: 409,
  conflict: 409,
  tooLarge: 413,
  unsupportedType: 415,
  misdirected: 421,
  downstream: 422,
  limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

/** What an answer of this status says where nothing more is known of its reason. */
const usualMessages: Readonly<Record<number, string>> = {
  400: 'the request is not valid',
  401: 'the API key is missing or unknown',
  403: 'this API key is for another project or region',
  404: 'there is no such path or record',
  405: 'this method is not offered here',
  409: 'the record exists already',
  413: 'the body is too large',
  415: 'the content type is not supported',
  422: 'refused by the systems behind the API',
  429: 'too many requests',
  500: 'internal error',
  502: 'a system behind the API answered nonsense',
  503: 'the service is unavailable',
  504: 'a system behind the API did not answer in time',
};

/** The message of a status that a scenario asks for without a body. */
export function toUsualMessage(status: number): string {
  return usualMessages[status] ?? `answered with ${status} by a scenario`;
}

export type ProblemKind = keyof typeof catalogue;

/** A refusal as a value: what the client is told. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly errors?: readonly Violation[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** What one answer lists at most; the rest is counted. */
export const mostViolations = 100;
