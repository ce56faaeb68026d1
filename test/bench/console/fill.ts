/** Fills the journal of one project with small requests, some of which fail. */
import { load } from '../load.ts';

export const project = 'bench';

/** The text that every id begins with; a page that shows it shows requests. */
export const idPrefix = 'BENCH-';

export async function fill(url: string, requests: number): Promise<void> {
  const payload = {
    name: 'requests',
    connections: 8,
    requests,
    path: (n: number) => (n % 3 === 0 ? `/async/projects/${project}/jobs` : `/sync/projects/${project}/jobs/batch`),
    body: (n: number) => JSON.stringify({ jobs: toIds(n).map((id) => ({ id })) }),
  };
  await load(url, payload, { from: 0, isOurs: false });
}

function toIds(n: number): readonly string[] {
  if (n % 50 === 0) return [`${idPrefix}${n}`, `FAIL-${n}`];
  return n % 20 === 0 ? Array.from({ length: 10 }, (_, index) => `${idPrefix}${n}-${index}`) : [`${idPrefix}${n}`];
}
