/** Reads the bodies of responses and callbacks. */
import type { Schemas } from './schemas.ts';

/** An entry that failed, at once or later. */
export interface FailedEntry {
  readonly id: string;
  readonly reason: string;
}

interface ResponseBody {
  /** Empty if the body has no message. */
  readonly message: string;
  readonly errors: readonly Schemas['Violation'][];
  readonly failed: readonly FailedEntry[];
}

export function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/**
 * Reads a response: its problem, if the profile changed the body of errors, otherwise its body. A scenario can send any
 * body, so every field is checked.
 */
export function readResponse({ body, problem }: Schemas['JournalledResponse']): ResponseBody {
  const { message, errors, failed } = (problem ?? readJson(body) ?? {}) as Partial<ResponseBody>;
  return {
    message: typeof message === 'string' ? message : '',
    errors: Array.isArray(errors) ? errors : [],
    failed: Array.isArray(failed) ? failed : [],
  };
}

interface Message {
  readonly timestamp: string;
  readonly subProjectId?: string;
  readonly failed: readonly FailedEntry[];
}

/** Reads the fields of a callback that describe its failures. */
export function readMessage({ body, data }: Schemas['Callback']): Message {
  const { failed = [], ...others } = data ?? toData(body as DefaultPayload);
  return { ...others, failed };
}

interface DefaultPayload {
  readonly timestamp: string;
  readonly data: Omit<Message, 'timestamp' | 'failed'> & Partial<Pick<Message, 'failed'>>;
}

function toData({ timestamp, data }: DefaultPayload): Omit<Message, 'failed'> & Partial<Pick<Message, 'failed'>> {
  return { ...data, timestamp };
}
