/** Creates routes: the stops of one driver in one city on one day. */
import type { components } from '../../openapi/api.gen.ts';
import { atLocalTime, toLocalTime } from '../places/city.ts';
import { createList, eachOf, type SampleContext } from '../sample-context.ts';
import type { Team } from '../staff.ts';
import { createEta, createStop, createTrackingId, toDriver } from './job.ts';

type Schemas = components['schemas'];

const minuteMs = 60_000;
const typicalStops = 8;
const minutesPerStop = 35;
// Time from the start of the promised window to the planned arrival.
const earlyMinutes = 25;

// Offset of the job numbers on routes: routes and lists share the ids of jobs, and lists use lower numbers.
const routeJobOffset = 50_000;

/** Creates routes of about eight stops, with `count` jobs in total. Creates each route when it is read. */
export function createRoutes(context: SampleContext, count: number): Iterable<Schemas['Route']> {
  const routeCount = Math.ceil(count / typicalStops);
  const toFirst = (index: number) => Math.round((index * count) / routeCount);
  return eachOf(routeCount, (index) =>
    createRoute(context, index, toFirst(index), toFirst(index + 1) - toFirst(index)),
  );
}

function createRoute(context: SampleContext, index: number, firstStop: number, stops: number): Schemas['Route'] {
  const { faker, nowMs, teams, firstNumber } = context;
  const team = teams[index % teams.length] as Team;
  // A driver has one route a day.
  const day = 1 + Math.floor(index / (teams.length * team.drivers.length));
  const driver = team.drivers[Math.floor(index / teams.length) % team.drivers.length];
  const startMs = atLocalTime(nowMs, team.city, day, faker.number.int({ min: 6 * 4, max: 9 * 4 }) * 15);
  return {
    id: `ROUTE-${firstNumber + index}`,
    routeDate: toLocalTime(startMs, team.city),
    ...(driver && { driver: toDriver(driver) }),
    jobs: createList(stops, (stop) => createRouteJob(context, team, startMs, firstStop + stop, stop + 1)),
  };
}

function createRouteJob(
  context: SampleContext,
  team: Team,
  startMs: number,
  index: number,
  sequence: number,
): Schemas['JobInRoute'] {
  const arrivalMs = startMs + sequence * minutesPerStop * minuteMs;
  return {
    ...createStop(context, team, `JOB-${context.firstNumber + routeJobOffset + index}`),
    trackingId: createTrackingId(context.faker),
    sequence,
    stopId: `STOP-${sequence}`,
    ...createEta(team.city, arrivalMs - earlyMinutes * minuteMs, earlyMinutes),
    scheduleStatus: 'SCHEDULED',
  };
}
