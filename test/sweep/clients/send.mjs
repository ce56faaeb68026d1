/** Sends a request, with a timeout and a bounded number of retries. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the result. `onUncertain` is called if an attempt ends without an answer that settles it: the API may have
 * processed it. Throws an error that names the operation and the last answer.
 */
export async function send({ operation, body, onUncertain, ...request }, rules) {
  let isUncertain = false;
  for (let attempt = 1; ; attempt += 1) {
    const sent = attempt === 1 ? body : rules.toRetry(body);
    const answer = await tryOnce({ ...request, body: sent }, rules.timeoutMs(attempt), rules);
    if (answer.result) return answer.result;
    if (answer.status === 409 && rules.isOwnRecord(isUncertain)) return {};
    if (answer.status === undefined || answer.status >= 500) {
      isUncertain = true;
      onUncertain();
    }
    const waitMs = toWaitMs(answer, attempt, rules);
    if (waitMs === undefined) throw new Error(`${operation} ${answer.problem} (attempt ${attempt})`);
    await sleep(waitMs);
  }
}

/** Returns `result`, or `problem` with the `status` if the API answered. */
async function tryOnce({ url, method, headers, body }, timeoutMs, rules) {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method, headers, body: JSON.stringify(body), signal });
    if (rules.isSuccess(response.status)) return { result: await rules.readResult(response) };
    const { status } = response;
    const retryAfterMs = toMs(response.headers.get('retry-after'));
    return { status, retryAfterMs, problem: `answered ${status}: ${await response.text()}` };
  } catch (error) {
    const reason = error.name === 'TimeoutError' ? `in ${timeoutMs} ms` : (error.cause?.code ?? error.message);
    return { problem: `got no complete answer: ${reason}` };
  }
}

/** Returns how long to wait before the next attempt, or undefined if there is none. */
function toWaitMs({ status, retryAfterMs = 0 }, attempt, rules) {
  const waitMs = Math.max(rules.heededMs(retryAfterMs), rules.backoffMs(attempt));
  const isRetried = status === undefined || rules.isRetried(status);
  return isRetried && attempt < rules.maxAttempts && waitMs <= rules.maxWaitMs ? waitMs : undefined;
}

/** Converts `retry-after`: seconds, or a date. */
function toMs(header) {
  if (header === null) return 0;
  return /^\d+$/.test(header) ? Number(header) * 1000 : Math.max(0, Date.parse(header) - Date.now() || 0);
}
