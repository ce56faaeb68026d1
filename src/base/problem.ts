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
