/** Requests that the sandbox rejects as a whole, each with its status. */
import type { Dice } from '../model/dice.ts';
import type { Life } from './life.ts';
import { headers, nothing, type Step } from './step.ts';

type Mistake = Pick<Step, 'kind'> & Partial<Pick<Step, 'method' | 'path' | 'headers' | 'body'>> & { status: number };

const { apikey, ...withoutKey } = headers;
const tooMany = JSON.stringify({ jobs: Array.from({ length: 10_001 }, () => ({})) });

const mistakes: readonly Mistake[] = [
  { kind: 'no key', headers: withoutKey, status: 401 },
  { kind: 'a wrong key', headers: { ...headers, apikey: `${apikey}s` }, status: 401 },
  { kind: 'a body of another type', headers: { apikey, 'content-type': 'text/plain' }, status: 415 },
  { kind: 'half of a body', body: '{"jobs":[{"id":"J-1"', status: 400 },
  { kind: 'no list', body: '{"jobs":"all of them"}', status: 400 },
  { kind: 'no such path', path: '/nowhere', status: 404 },
  { kind: 'no such method', method: 'PUT', status: 405 },
  { kind: 'no such scenario', headers: { ...headers, 'x-sandbox-scenario': 'none-such' }, status: 400 },
];

/** Draws a mistake. A body with too many entries is rare, because it is large. */
export function drawMistake(dice: Dice, { project }: Life): Step {
  const isLarge = dice.often(3);
  const mistake = isLarge ? { kind: 'too many entries', body: tooMany, status: 413 } : dice.of(mistakes);
  return {
    method: 'POST',
    path: `/async/projects/${project}/jobs`,
    headers,
    body: '{"jobs":[{"id":"J-0"}]}',
    ...mistake,
    expected: { status: mistake.status, callbacks: [] },
    onApplied: nothing,
  };
}
