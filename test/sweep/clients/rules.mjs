/** Decisions of a robust client. A weak client overrides one of them: see weaknesses.mjs. */
import { isSigned } from './signature.mjs';

export const robustRules = {
  /** Limits the whole attempt, with its body. Doubles, so that a slow server is not called in vain each time. */
  timeoutMs: (attempt) => 500 * 2 ** Math.min(attempt - 1, 2),
  maxAttempts: 3,
  backoffMs: (attempt) => 50 * attempt,
  /** A server that asks for a longer wait is reported instead. */
  maxWaitMs: 2000,
  /** How long to wait of what `retry-after` asks for. */
  heededMs: (retryAfterMs) => retryAfterMs,

  isSuccess: (status) => status < 300,
  isRetried: (status) => status >= 500 || [408, 425, 429].includes(status),
  /** Reads the whole body: without it, nothing shows that the request took effect. */
  readResult: async (response) => JSON.parse(await response.text()),
  /** The body of a retry. With the same ids, the API recognises what it has already. */
  toRetry: (body) => body,
  /** Whether "it exists" reports the client's own earlier attempt. `isUncertain`: one ended without an answer. */
  isOwnRecord: (isUncertain) => isUncertain,
  failedIn: (result) => result.failed ?? [],
  onError: (error) => {
    throw error;
  },

  isSigned,
  acknowledgesFirst: false,
  isNew: (id, stored) => !stored.has(id),
  failedInCallback: (message) => message.data.failed,
};
