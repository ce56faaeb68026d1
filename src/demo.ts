/** Fills the project of `--demo` with examples of everything, by requests such as a client sends. */

import { advanceHandlers } from './control-api/advances.ts';
import { admin } from './control-api/caller.ts';
import type { ControlParts } from './control-api/handler.ts';
import { projectHandlers } from './control-api/projects.ts';
import type { Pipeline } from './http/pipeline.ts';
import { toTimestamp } from './lib/time.ts';
import type { components } from './openapi/api.gen.ts';
import { buildRequest } from './openapi/build-request.ts';
import type { OperationId } from './operations/index.ts';
import { createPoint } from './samples/places/city.ts';
import { sampleBody } from './samples/sample.ts';

/** Id of the demo project. */
const demoProject = 'demo';

interface Parts {
  readonly control: ControlParts;
  readonly requestHandler: Pick<Pipeline, 'applyRead'>;
  /** API key as a client sends it. */
  readonly key: string;
}

type Route = components['schemas']['Route'];
type Location = components['schemas']['DeviceLocation'];

/** Updates of eight jobs have every status. */
const jobCount = 24;
const userCount = 3;
/** Gives about twelve parked vans. The drivers of routes are on the road, with locations in addition to these. */
const locationCount = 60;
const pointsPerLeg = 8;
const minutesPerPoint = 2;

/**
 * Fills the demo project, unless a saved one exists. With a real clock, the project's time is then ahead of real time
 * by the processing time of the commands.
 */
export async function fillDemo({ control, requestHandler, key }: Parts): Promise<void> {
  if (control.projects.find(demoProject)) return;
  const { seed, defaultClock } = control;
  const now = toTimestamp(defaultClock.nowMs ?? control.wall.now());
  const baseRequest = {
    caller: admin,
    method: 'POST',
    params: { projectId: demoProject },
    query: {},
    headers: {},
    isYaml: false,
    address: '',
    bodyBytes: 0,
    isSecure: false,
  };
  const sample = (id: OperationId, count: number, sampleSeed = seed) =>
    sampleBody(id, { count, seed: sampleSeed, now });
  const responses: unknown[] = [];
  const send = (id: OperationId, body: object, params: Readonly<Record<string, string>> = {}): void => {
    const operation = control.contract.operations.get(id);
    if (!operation) return;
    const { method, url, headers, body: sent } = buildRequest(operation, { ...params, projectId: demoProject }, body);
    const request = { method, url, headers: { ...demoHeaders, apikey: key, ...headers } };
    const text = JSON.stringify(sent);
    // Parse a copy: the project stores the parsed value itself.
    const read = { raw: { text }, parsed: { value: JSON.parse(text) as unknown }, scenario: undefined };
    responses.push(requestHandler.applyRead(request, read, demoProject));
  };
  /** Applies the accepted commands, and sends the callbacks that are due immediately. */
  const applyAccepted = async (): Promise<void> => {
    const project = control.projects.open(demoProject);
    const body = { to: toTimestamp(project.now() + control.processingMs) };
    await advanceHandlers.advanceClock(control, { ...baseRequest, body }, project);
  };

  await projectHandlers.putClock(control, { ...baseRequest, body: { mode: 'frozen' } }, undefined);
  for (let n = 1; n <= userCount; n += 1) send('registerUser', await sample('registerUser', 1, `${seed} ${n}`));
  const { jobs } = (await sample('asyncImportJobs', jobCount)) as { jobs: readonly { readonly id: string }[] };
  send('asyncImportJobs', { jobs });
  const { routes } = (await sample('syncCreateRoutes', 16)) as { routes: readonly Route[] };
  send('syncCreateRoutes', { routes });
  const { orders } = (await sample('syncImportOrders', 8)) as { orders: readonly { readonly id: string }[] };
  send('syncImportOrders', { orders });
  await applyAccepted();
  // With one seed, updates name the imported jobs.
  send('syncUpdateJobs', await sample('syncUpdateJobs', jobCount));
  send('syncCreateJob', { ...(await sample('syncCreateJob', 1, `${seed} alone`)), status: 'READY' });
  send('syncUpdateOrder', await sample('syncUpdateOrder', 1), { orderId: orders[0]?.id ?? '' });
  const { locations } = (await sample('submitLocations', locationCount)) as { locations: readonly Location[] };
  const trails = routes.flatMap((route) => createTrail(route, Date.parse(now)));
  const isOnRoute = ({ deviceId }: Location) => trails.some((one) => one.deviceId === deviceId);
  send('submitLocations', { locations: [...locations.filter((one) => !isOnRoute(one)), ...trails] });
  // Some jobs fail downstream: because of their ids, or because they exist already.
  const ids = ['FAIL-GEOCODE-1', 'DEMO-2', 'FAIL-CAPACITY-3'];
  send('asyncImportJobs', { jobs: jobs.slice(0, 4).map((job, index) => ({ ...job, id: ids[index] ?? job.id })) });
  send('asyncImportJobs', { jobs: invalidJobs });
  await applyAccepted();
  // A scenario may delay responses: wait for all of them before the sandbox starts.
  await Promise.all(responses);
  const project = control.projects.find(demoProject);
  await projectHandlers.putClock(control, { ...baseRequest, body: { mode: defaultClock.mode } }, project);
}

/** Returns the locations of a route's van up to now. It has passed all stops but the last two, on straight lines. */
function createTrail({ driver, jobs = [] }: Route, nowMs: number): readonly Location[] {
  const places = jobs.slice(0, -2).map(({ address }) => address?.geoJson?.coordinates);
  const stops = places.filter((place) => place !== undefined);
  const points = stops.slice(1).flatMap(([toX, toY], leg) => {
    const [x, y] = stops[leg] ?? [toX, toY];
    return Array.from({ length: pointsPerLeg }, (_, n) => {
      const share = (n + 1) / pointsPerLeg;
      return createPoint(x + (toX - x) * share, y + (toY - y) * share);
    });
  });
  return points.map((geoJson, index) => ({
    deviceId: driver?.deviceId ?? '',
    eventDateTime: toTimestamp(nowMs - (points.length - 1 - index) * minutesPerPoint * 60_000),
    geoJson,
  }));
}

/** Jobs with typical mistakes of clients: a status, a field name, the order of coordinates, an id. */
const invalidJobs = [
  { id: 'DEMO-4', status: 'DELIVERD' },
  { id: 'DEMO-5', adress: { streetAddress: '12 Kent Street' } },
  { id: 'DEMO-6', address: { geoJson: { type: 'Point', coordinates: [-27.4698, 153.0251] } } },
  { id: 7, isPriority: 'yes' },
];

const demoHeaders = { 'content-type': 'application/json', 'user-agent': 'field-sandbox --demo' };
