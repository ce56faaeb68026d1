/** Sends the attempts of a check one after another. */
import type { CheckContext, SendOptions, TestCallback } from './check.ts';
import type { Step } from './judge.ts';

/** An attempt to send. */
export interface PlannedAttempt {
  /** Label of the attempt in the report. */
  readonly label?: string;
  readonly callback: TestCallback;
  readonly options?: SendOptions;
}

/** Sends attempts in order. Stops at the first without a response, because each of the others might time out too. */
export async function sendInOrder(
  context: CheckContext,
  attempts: readonly PlannedAttempt[],
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { label, callback, options } of attempts) {
    const result = await context.post(callback, options);
    steps.push({ ...(label !== undefined && { label }), result });
    if ('error' in result.outcome) break;
  }
  return steps;
}
