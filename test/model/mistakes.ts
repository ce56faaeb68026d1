/** Requests that the sandbox rejects as a whole, each with its status. */
import type { Dice } from './dice.ts';

export const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' } as const;

/** A rejected request, with the status of its response. */
export interface Mistake {
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
}

const { apikey, ...withoutKey } = headers;
const tooMany = JSON.stringify({ jobs: Array.from({ length: 10_001 }, () => ({})) });

const mistakes: readonly (Pick<Mistake, 'kind' | 'status'> & Partial<Mistake>)[] = [
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
export function drawMistake(dice: Dice, project: string): Mistake {
  const isLarge = dice.often(3);
  const mistake = isLarge ? { kind: 'too many entries', body: tooMany, status: 413 } : dice.of(mistakes);
  return {
    method: 'POST',
    path: `/async/projects/${project}/jobs`,
    headers,
    body: '{"jobs":[{"id":"J-0"}]}',
    ...mistake,
  };
}
