/** Lists the placeholders of each template. docs/reference/profile.md explains them. */

/** Placeholders of `bodies.error`. */
export const errorPlaceholders: readonly string[] = [
  'message',
  'code',
  'status',
  'title',
  'errors',
  'requestId',
  'timestamp',
  'operation',
  'projectId',
  'method',
  'path',
  'error.path',
  'error.message',
];

/** Placeholders of `bodies.OPERATION`, beside the fields of the record. */
export const resultPlaceholders: readonly string[] = [
  'id',
  'message',
  'projectId',
  'subProjectId',
  'requestId',
  'operation',
  'timestamp',
];

/** Placeholders of `bodies.callback`. */
export const callbackPlaceholders: readonly string[] = [
  'type',
  'timestamp',
  'data',
  'id',
  'projectId',
  'subProjectId',
  'requestId',
  'operation',
  'failed',
  'succeeded',
  'entry.id',
  'entry.reason',
];

/** Placeholders of `callbacks.headers`. */
export const callbackHeaderPlaceholders: readonly string[] = [
  'type',
  'id',
  'timestamp',
  'projectId',
  'subProjectId',
  'requestId',
  'operation',
  'entry.id',
];

/** Placeholders of the parts of a signature. */
export const signaturePlaceholders = {
  over: ['body', 'timestamp', 'id'],
  hmacValue: ['hex', 'base64', 'timestamp', 'id'],
  fixedValue: ['secret', 'timestamp', 'id'],
} as const;

/** The template that the word `problem` stands for, and its content type (RFC 9457). */
export const problemTemplate: object = {
  type: 'about:blank',
  title: '{title}',
  status: '{status}',
  detail: '{message}',
  code: '{code}',
  errors: '{errors}',
};
export const problemType = 'application/problem+json';
