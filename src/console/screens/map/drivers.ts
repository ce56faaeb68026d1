/** Finds the names of the drivers: by device, in routes, jobs and users. */

type Fields = Readonly<Record<string, unknown>>;

export interface DriverOfRecord {
  readonly deviceId: string;
  readonly name: string;
}

/** Returns the driver of a route or job. Its fields are empty texts if the record has none. */
export function driverOf(record: Fields): DriverOfRecord {
  const { driver } = record;
  if (typeof driver !== 'object' || driver === null) return { deviceId: '', name: '' };
  const { deviceId, employeeId } = driver as Fields;
  return { deviceId: textOf(deviceId), name: nameOf(driver as Fields) || textOf(employeeId) };
}

/** Returns a function that finds the driver's name of a device. Routes come first, then jobs, then users. */
export function createDriverNames(
  routes: readonly Fields[],
  jobs: readonly Fields[],
  users: readonly Fields[],
): (deviceId: string) => string | undefined {
  const ofUsers = users.map((user) => ({
    deviceId: textOf(user['moduleDeviceId']),
    name: nameOf(user) || textOf(user['username']),
  }));
  const names = new Map<string, string>();
  for (const { deviceId, name } of [...routes.map(driverOf), ...jobs.map(driverOf), ...ofUsers]) {
    if (deviceId !== '' && name !== '' && !names.has(deviceId)) names.set(deviceId, name);
  }
  return (deviceId) => names.get(deviceId);
}

function nameOf({ firstName, lastName }: Fields): string {
  return [firstName, lastName].map(textOf).join(' ').trim();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
