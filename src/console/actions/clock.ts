/** Moves a project's clock, and describes the result. */

import { formatCount } from '../../lib/format.ts';
import { callApi, projectPath, type Schemas } from '../api.ts';
import { instant } from '../format.ts';

/** The steps of a frozen clock. */
export const steps = [
  { title: '+1 min', words: 'Advance the clock by 1 minute', body: { by: '1m' } },
  { title: '+10 min', words: 'Advance the clock by 10 minutes', body: { by: '10m' } },
  { title: '+1 h', words: 'Advance the clock by 1 hour', body: { by: '1h' } },
  { title: 'Until idle', words: 'Advance the clock until nothing is pending', body: { until: 'idle' } },
] as const;

/** Rates of a running clock. */
export const rates = [1, 10, 60] as const;

/** @throws {ApiError} if the clock is not frozen */
export async function advance(project: string, body: Schemas['Advance']): Promise<string> {
  const result = await callApi<Schemas['AdvanceResult']>('POST', projectPath(project, '/clock/advance'), body);
  const { now, processed, delivered, pending } = result;
  return `Advanced to ${instant(now)}: ${formatCount(processed, 'command')} processed, ${formatCount(delivered, 'callback')} delivered, ${pending} pending.`;
}

/** Freezes the clock, or lets it run; without a rate, at that of the sandbox. */
export async function setClock(project: string, change: Schemas['ClockChange']): Promise<string> {
  const { mode, now, rate = 1 } = await callApi<Schemas['Clock']>('PUT', projectPath(project, '/clock'), change);
  const speed = mode === 'frozen' || rate === 1 ? '' : `, ${rate} times as fast as real time`;
  return `${mode === 'frozen' ? 'Frozen' : 'Running'} at ${instant(now)}${speed}.`;
}
