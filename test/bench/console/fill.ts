/** Fills the journal of one project with small requests, some of which fail. */
import { headers, load } from '../load.ts';

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

const startMs = Date.parse('2026-03-02T09:00:00Z');

/** Sends ten trails of 1,000 points. */
export async function sendTrails(url: string, id: string): Promise<void> {
  for (let device = 0; device < 10; device += 1) {
    const locations = Array.from({ length: 1000 }, (_, n) => ({
      deviceId: `van-${device}`,
      eventDateTime: new Date(startMs + n * 10_000).toISOString(),
      geoJson: { type: 'Point', coordinates: [150 + Math.sin(n / 30) + device / 5, -27 + Math.cos(n / 47)] },
    }));
    const { status } = await fetch(`${url}/projects/${id}/locations/batch`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ locations }),
    });
    if (status !== 200) throw new Error(`a trail was not accepted: ${status}`);
  }
}
