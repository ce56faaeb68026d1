/** Routes: a driver's day, as one round of stops through one city. */
import type { components } from '../contract/api.gen.ts';
import { atLocalTime, toLocalTime } from './city.ts';
import { createEta, createStop, createTrackingId, toDriver } from './job.ts';
import { createList, eachOf, type Setting } from './setting.ts';
import type { Team } from './staff.ts';

type Schemas = components['schemas'];

const minuteMs = 60_000;
const usualStops = 8;
const minutesAStop = 35;
// How long before the planned arrival the promised window opens.
const earlyMinutes = 25;

// A project's routes and lists share the names of jobs; these lie beyond those of any list.
const numbersOfLists = 50_000;

/** Routes of about eight stops, with `count` jobs in all, each made when it is asked for. */
export function createRoutes(setting: Setting, count: number): Iterable<Schemas['Route']> {
  const routeCount = Math.ceil(count / usualStops);
  const toFirst = (index: number) => Math.round((index * count) / routeCount);
  return eachOf(routeCount, (index) =>
    createRoute(setting, index, toFirst(index), toFirst(index + 1) - toFirst(index)),
  );
}

function createRoute(setting: Setting, index: number, firstStop: number, stops: number): Schemas['Route'] {
  const { faker, nowMs, teams, firstNumber } = setting;
  const team = teams[index % teams.length] as Team;
  // One driver drives one route a day.
  const day = 1 + Math.floor(index / (teams.length * team.drivers.length));
  const driver = team.drivers[Math.floor(index / teams.length) % team.drivers.length];
  const startMs = atLocalTime(nowMs, team.city, day, faker.number.int({ min: 6 * 4, max: 9 * 4 }) * 15);
  return {
    id: `ROUTE-${firstNumber + index}`,
    routeDate: toLocalTime(startMs, team.city),
    ...(driver && { driver: toDriver(driver) }),
    jobs: createList(stops, (stop) => createRouteJob(setting, team, startMs, firstStop + stop, stop + 1)),
  };
}

function createRouteJob(
  setting: Setting,
  team: Team,
  startMs: number,
  index: number,
  sequence: number,
): Schemas['JobInRoute'] {
  const arrivalMs = startMs + sequence * minutesAStop * minuteMs;
  return {
    ...createStop(setting, team, `JOB-${setting.firstNumber + numbersOfLists + index}`),
    trackingId: createTrackingId(setting.faker),
    sequence,
    stopId: `STOP-${sequence}`,
    ...createEta(team.city, arrivalMs - earlyMinutes * minuteMs, earlyMinutes),
    scheduleStatus: 'SCHEDULED',
  };
}
