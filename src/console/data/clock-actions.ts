/** Moves a project's clock, and describes the result. */
import { callApi, projectPath, type Schemas } from './client.ts';

/** The steps of a frozen clock that the menu and the palette offer. */
export const steps = [
  { title: '+1 min', words: 'Advance the clock by 1 minute', body: { by: '1m' } },
  { title: '+10 min', words: 'Advance the clock by 10 minutes', body: { by: '10m' } },
  { title: 'Until idle', words: 'Advance the clock until nothing is pending', body: { until: 'idle' } },
] as const;

/** Rates of a running clock. */
export const rates = [1, 10, 60] as const;

/** @throws {ApiError} if the clock is not frozen */
export async function advance(project: string, body: Schemas['Advance']): Promise<string> {
  const result = await callApi<Schemas['AdvanceResult']>('POST', projectPath(project, '/clock/advance'), body);
  const { processed, delivered, pending } = result;
  const counts = `${processed} processed, ${delivered} delivered, ${pending} pending`;
  return `Advanced to ${timeOf(result.now)}: ${counts}.`;
}

export async function freeze(project: string): Promise<string> {
  const { now } = await callApi<Schemas['Clock']>('PUT', projectPath(project, '/clock'), { mode: 'frozen' });
  return `Frozen at ${timeOf(now)}.`;
}

/** Lets the clock run; without a rate, at that of the sandbox. */
export async function resume(project: string, rate?: number): Promise<string> {
  const change = { mode: 'real', ...(rate !== undefined && { rate }) };
  const { now } = await callApi<Schemas['Clock']>('PUT', projectPath(project, '/clock'), change);
  return `Running from ${timeOf(now)}${rate === undefined || rate === 1 ? '' : ` at ${rate}×`}.`;
}

function timeOf(timestamp: string): string {
  return timestamp.slice(11, 19);
}
