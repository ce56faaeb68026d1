/** The placeholders of each template with their schemas. docs/reference/profile.md explains them. */
import type { Json } from '../../lib/json.ts';

/** The schema of each placeholder; an empty one is replaced by that of the document. */
type Placeholders = Readonly<Record<string, Json>>;

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const fromDocument = {};

/** Placeholders of `bodies.error`. */
export const errorPlaceholders: Placeholders = {
  message: text,
  code: fromDocument,
  status: { type: 'integer' },
  title: text,
  errors: fromDocument,
  requestId: text,
  timestamp: time,
  operation: text,
  projectId: text,
  method: text,
  path: text,
  'error.path': text,
  'error.message': text,
};

/** Placeholders of `bodies.OPERATION`, beside the fields of the record. */
export const resultPlaceholders: Placeholders = {
  id: text,
  message: text,
  projectId: text,
  subProjectId: text,
  requestId: text,
  operation: text,
  timestamp: time,
};

/** Placeholders of `callbacks.headers`. */
export const callbackHeaderPlaceholders: Placeholders = {
  type: fromDocument,
  id: text,
  timestamp: fromDocument,
  projectId: fromDocument,
  subProjectId: fromDocument,
  requestId: fromDocument,
  operation: fromDocument,
  'entry.id': text,
};

/** Placeholders of `bodies.callback`. */
export const callbackPlaceholders: Placeholders = {
  ...callbackHeaderPlaceholders,
  data: fromDocument,
  failed: fromDocument,
  succeeded: fromDocument,
  'entry.reason': text,
};

/** Values of placeholders in examples of the served document. */
export const exampleValues = {
  requestId: 'req_5f0c2ad19be84713',
  timestamp: '2026-03-02T09:30:02.000Z',
  projectId: 'acme',
  subProjectId: 'north',
  method: 'POST',
  path: '/projects/acme',
} as const;

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
