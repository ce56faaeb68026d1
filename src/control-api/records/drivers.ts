/** Finds the drivers of devices, routes and jobs. */
import type { Json } from '../../lib/json.ts';
import type { Records, StoredRecord } from '../../records/records.ts';

/** The driver of a route or job. Its fields are empty texts if the record has none. */
interface Driver {
  readonly deviceId: string;
  readonly name: string;
}

export function driverOf({ driver }: StoredRecord): Driver {
  if (typeof driver !== 'object' || driver === null) return { deviceId: '', name: '' };
  const fields = driver as Json;
  return { deviceId: textOf(fields['deviceId']), name: nameOf(fields) || textOf(fields['employeeId']) };
}

/** Returns the names of drivers by their devices. Routes come first, then jobs, then users. */
export function findDriverNames({ routes, jobs, users }: Records): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = ({ deviceId, name }: Driver): void => {
    if (deviceId !== '' && name !== '' && !names.has(deviceId)) names.set(deviceId, name);
  };
  for (const record of routes.values()) add(driverOf(record));
  for (const record of jobs.values()) add(driverOf(record));
  for (const user of users.values())
    add({ deviceId: textOf(user['moduleDeviceId']), name: nameOf(user) || textOf(user['username']) });
  return names;
}

function nameOf({ firstName, lastName }: Json): string {
  return [firstName, lastName].map(textOf).join(' ').trim();
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
