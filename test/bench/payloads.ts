/** What is sent: from a location of 130 bytes to a thousand jobs of two megabytes, with ids that never come twice. */
import type { Json } from '../../src/base/json.ts';
import { sampleBody } from '../../src/sample/sample.ts';
import type { Payload } from './load.ts';

const seed = 'bench';

/** All payloads, smallest first. */
export async function createPayloads(): Promise<readonly Payload[]> {
  const location = JSON.stringify({
    deviceId: 'DEV-000001',
    eventDateTime: '2026-03-02T09:30:00+10:00',
    geoJson: { type: 'Point', coordinates: [153.02, -27.46] },
  });
  const job = (await sampleBody('syncCreateJob', { count: 1, seed })) as Json & { id: string };
  const [beforeId = '', afterId = ''] = JSON.stringify(padded(job)).split(JSON.stringify(job.id));
  return [
    {
      name: `one location (${location.length} B)`,
      connections: 32,
      requests: 20_000,
      method: 'POST',
      path: () => '/projects/bench/locations',
      body: () => location,
    },
    {
      name: `one job (${beforeId.length + afterId.length + 12} B)`,
      connections: 32,
      requests: 10_000,
      method: 'POST',
      path: () => '/sync/projects/bench/jobs',
      body: (n) => `${beforeId}"JOB-${n}"${afterId}`,
    },
    await batch(100, 400),
    await batch(1000, 60),
  ];
}

/**
 * A batch of jobs of one shape, as one serializer writes them. Every request goes to a project of its own, so that no id
 * comes twice.
 */
async function batch(count: number, requests: number): Promise<Payload> {
  const sample = (await sampleBody('syncCreateJobs', { count: 1, seed })) as { jobs: Json[] };
  const job = padded(sample.jobs[0] ?? {});
  const jobs = Array.from({ length: count }, (_, index) => ({ ...job, id: `JOB-${index}` }));
  const body = Buffer.from(JSON.stringify({ jobs }));
  return {
    name: `${count} jobs (${Math.round(body.length / 1024)} kB)`,
    connections: 4,
    requests,
    method: 'POST',
    path: (n) => `/sync/projects/bench-${n}/jobs/batch`,
    body: () => body,
  };
}

/** A job of about two kilobytes, as real ones are: the rest is instructions to the driver. */
function padded(job: Json): Json {
  const missing = 2000 - JSON.stringify(job).length;
  return missing > 40 ? { ...job, customerInstructions: ['Please ring twice. '.repeat(Math.ceil(missing / 19))] } : job;
}
