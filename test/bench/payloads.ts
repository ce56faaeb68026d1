/** What is sent: from a location of 130 bytes to a thousand jobs of two megabytes, with ids that never come twice. */
import type { Json } from '../../src/lib/json.ts';
import { sampleBody } from '../../src/samples/sample.ts';
import { untilAllAreHeld } from './control.ts';
import { load, type Payload } from './load.ts';

const seed = 'bench';
/** The project of payloads that need no other. */
export const project = 'bench';

const location = JSON.stringify({
  deviceId: 'DEV-000001',
  eventDateTime: '2026-03-02T09:30:00+10:00',
  geoJson: { type: 'Point', coordinates: [153.02, -27.46] },
});

/** One location. */
export async function oneLocation(): Promise<Payload> {
  return {
    name: `one location, ${location.length} B`,
    connections: 32,
    requests: 20_000,
    path: () => `/projects/${project}/locations`,
    body: () => location,
  };
}

/** One job of two kilobytes. */
export async function oneJob(): Promise<Payload> {
  const job = (await sampleBody('syncCreateJob', { count: 1, seed })) as Json & { id: string };
  const [before = '', after = ''] = JSON.stringify(padded(job)).split(JSON.stringify(job.id));
  return {
    name: 'one job, 2 kB',
    connections: 32,
    requests: 10_000,
    path: () => `/sync/projects/${project}/jobs`,
    body: (n) => `${before}"JOB-${n}"${after}`,
  };
}

/** So many jobs at once, each batch for a project of its own, so that no id comes twice. */
export function jobBatch(count: number, requests: number): () => Promise<Payload> {
  return async () => {
    const body = await jobsBody(count, 0);
    return {
      name: `${count.toLocaleString('en')} jobs, ${toSize(body.length)}`,
      connections: 4,
      requests,
      path: (n) => `/sync/projects/${project}-${n}/jobs/batch`,
      body: () => body,
    };
  };
}

/** The same, accepted and carried out later, which is waited for. The sandbox's `processing` has to be 0. */
export function asyncJobBatch(count: number, requests: number): () => Promise<Payload> {
  return async () => ({
    ...(await jobBatch(count, requests)()),
    name: `${count.toLocaleString('en')} jobs, asynchronous`,
    path: (n) => `/async/projects/${project}-${n}/jobs`,
    settle: (url) => untilAllAreHeld(url, count * requests),
  });
}

/** Jobs of one shape, as one serializer writes them, numbered from `first`. */
export async function jobsBody(count: number, first: number): Promise<Buffer> {
  const sample = (await sampleBody('syncCreateJobs', { count: 1, seed })) as { jobs: Json[] };
  const job = padded(sample.jobs[0] ?? {});
  const jobs = Array.from({ length: count }, (_, index) => ({ ...job, id: `JOB-${first + index}` }));
  return Buffer.from(JSON.stringify({ jobs }));
}

/** Imports so many jobs into the project, a thousand at a time. */
export async function fillJobs(url: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 1000) {
    const body = await jobsBody(Math.min(1000, count - first), first);
    const path = (): string => `/sync/projects/${project}/jobs/batch`;
    await load(url, { name: '', connections: 1, requests: 1, path, body: () => body }, { from: 0, isOurs: true });
  }
}

/** A job of about two kilobytes, as real ones are: the rest is instructions to the driver. */
function padded(job: Json): Json {
  const missing = 2000 - JSON.stringify(job).length;
  return missing > 40 ? { ...job, customerInstructions: ['Please ring twice. '.repeat(Math.ceil(missing / 19))] } : job;
}

function toSize(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} kB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
