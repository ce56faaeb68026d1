/** Creates the callbacks of the checks, and sends them as the sandbox does or as a check wants. */
import {
  type CallbackMessage,
  type CallbackType,
  createCallback,
  type FailureType,
  toCompletionType,
} from '../../callbacks/callback.ts';
import { signFaulty, toSent } from '../../callbacks/callback-faults.ts';
import type { CallbackFormat } from '../../callbacks/format.ts';
import type { Sender } from '../../callbacks/send.ts';
import { createHash } from '../../lib/random.ts';
import type { WallClock } from '../../lib/time.ts';
import type { CallbackContent, Check, CheckContext, SendOptions, Sign, TestCallback } from './check.ts';
import { judgeAccepted, judgeRejected, type Step } from './judge.ts';

/** An operation for each callback type. */
const operations: Readonly<Record<FailureType, string>> = {
  'jobs.import.failed': 'asyncImportJobs',
  'jobs.update.failed': 'asyncUpdateJobs',
  'routes.import.failed': 'asyncImportRoutes',
  'orders.import.failed': 'asyncImportOrders',
  'orders.update.failed': 'asyncUpdateOrder',
};

/** The project of all callbacks. Its name shows in a receiver's database where the callback came from. */
const defaultProject = 'verify-receiver';

/**
 * Returns a function that creates test callbacks. Their ids depend on the current time, because a receiver remembers
 * the ids of an earlier run, and would treat these callbacks as duplicates.
 */
export function createTestCallbacks(
  wall: WallClock,
  format: CallbackFormat,
): (type: CallbackType, content?: CallbackContent) => TestCallback {
  const hash = createHash('verify-receiver', String(wall.now()));
  let count = 0;
  return (type, { projectId = defaultProject, subProjectId, failed, ageMs = 0, change, write } = {}) => {
    count += 1;
    const entries = failed ?? [{ id: `VERIFY-${count}`, reason: 'Address could not be geocoded' }];
    const operation = Object.entries(operations).find(
      ([failure]) => failure === type || toCompletionType(failure as FailureType) === type,
    );
    const { id, body } = createCallback({
      seed: 'verify-receiver',
      change: count,
      projectId,
      subProjectId,
      operation: operation?.[1] ?? '',
      type,
      requestId: `req_${hash.of(String(count))}`,
      ...(type.endsWith('.completed')
        ? { failed: [], succeeded: entries.map((one) => ({ id: one.id })) }
        : { failed: entries }),
      atMs: wall.now() - ageMs,
      fault: undefined,
    });
    const content = (change?.(body) ?? body) as CallbackMessage;
    const sent = format.toBody(id, content);
    return { id, type, content, text: write ? write(sent) : toSent(sent, {}) };
  };
}

/** Signs as the sandbox does. */
export const signAsSandbox: Sign = (message, format) => signFaulty(format, message, {});

/** Creates a function that sends a callback once. It signs each attempt, as the sandbox does. It never throws. */
export function createPost(
  about: { readonly url: string; readonly secret: string; readonly wall: WallClock; readonly format: CallbackFormat },
  sender: Pick<Sender, 'send'>,
): CheckContext['post'] {
  const { url, secret, wall, format } = about;
  return async ({ id, text, content }, { sign = signAsSandbox, pieces } = {}) => {
    const headers = await sign({ secret, id, atMs: wall.now(), body: text, content }, format);
    const abortController = new AbortController();
    const startedMs = wall.elapsed();
    const outcome = await sender.send({
      url,
      method: format.method,
      headers,
      body: text,
      ...(pieces && { pieces: pieces(Buffer.from(text), () => abortController.abort()) }),
      signal: abortController.signal,
    });
    return { outcome, ms: wall.elapsed() - startedMs };
  };
}

/** An attempt to send, with its label in the report. */
export interface PlannedAttempt extends SendOptions {
  readonly label?: string;
  readonly callback: TestCallback;
}

/** Sends attempts in order. Stops at the first without a response, because each of the others might time out too. */
export async function sendInOrder(
  context: CheckContext,
  attempts: readonly PlannedAttempt[],
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { label = '', callback, ...options } of attempts) {
    const result = await context.post(callback, options);
    steps.push({ label, result });
    if ('error' in result.outcome) break;
  }
  return steps;
}

/** New callbacks and how to send them, by label; it may depend on the form of the callbacks. */
type Plan = PlannedCallbacks | ((format: CallbackFormat) => PlannedCallbacks);
type PlannedCallbacks = Readonly<Record<string, CallbackContent & SendOptions>>;

function sendPlan(context: CheckContext, plan: Plan): Promise<readonly Step[]> {
  const planned = typeof plan === 'function' ? plan(context.format) : plan;
  const attempts = Object.entries(planned).map(([label, { sign, ...content }]) => ({
    label,
    callback: context.createCallback(content),
    ...(sign && { sign }),
  }));
  return sendInOrder(context, attempts);
}

/** Creates a check whose callbacks the receiver must accept. */
export function accepts(plan: Plan, texts: Omit<Check, 'run'>): Check {
  return { ...texts, run: async (context) => judgeAccepted(await sendPlan(context, plan)) };
}

/** Creates a check whose callbacks the receiver must reject. `meaning` explains what an accepted one implies. */
export function rejects(plan: Plan, meaning: string, texts: Omit<Check, 'run'>): Check {
  return { ...texts, run: async (context) => judgeRejected(await sendPlan(context, plan), meaning) };
}
