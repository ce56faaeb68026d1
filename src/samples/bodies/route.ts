/** Creates routes: the stops of one driver on one day. */
import type { components } from '../../openapi/api.gen.ts';
import { atLocalTime, toLocalTime } from '../places/city.ts';
import { eachOf, type SampleContext } from '../sample-context.ts';
import { createTrackingId } from './entry.ts';
import { createEta, createStop, toDriver } from './job.ts';

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
  const { faker, nowMs, city, staff, firstNumber } = context;
  const routeCount = Math.ceil(count / typicalStops);
  const toFirst = (index: number) => Math.round((index * count) / routeCount);
  return eachOf(routeCount, (index) => {
    const driver = staff.drivers[index % staff.drivers.length];
    // A driver has one route a day.
    const day = 1 + Math.floor(index / staff.drivers.length);
    const startMs = atLocalTime(nowMs, city, day, faker.number.int({ min: 6 * 4, max: 9 * 4 }) * 15);
    const stops = eachOf(toFirst(index + 1) - toFirst(index), (stop) => {
      const arrivalMs = startMs + (stop + 1) * minutesPerStop * minuteMs;
      return {
        ...createStop(context, `JOB-${firstNumber + routeJobOffset + toFirst(index) + stop}`),
        trackingId: createTrackingId(faker),
        sequence: stop + 1,
        stopId: `STOP-${stop + 1}`,
        ...createEta(city, arrivalMs - earlyMinutes * minuteMs, earlyMinutes),
        scheduleStatus: 'SCHEDULED' as const,
      };
    });
    return {
      id: `ROUTE-${firstNumber + index}`,
      routeDate: toLocalTime(startMs, city),
      ...(driver && { driver: toDriver(driver) }),
      jobs: [...stops],
    };
  });
}
