/** Loads the records of a collection. */
import { listAll, projectPath } from '../../data/client.ts';
import { createDriverNames } from '../map/drivers.ts';
import type { Collection, StoredRecord } from './collections.ts';

/** Maximum number of records that are loaded. */
export const maxRecords = 20_000;

/** Devices get the names of their drivers, which other collections have. */
export async function loadRecords(project: string, { name }: Collection): Promise<readonly StoredRecord[]> {
  const list = (one: Collection['name']): Promise<readonly StoredRecord[]> =>
    listAll(projectPath(project, `/${one}`), maxRecords);
  if (name !== 'locations') return list(name);
  const [devices, routes, jobs, users] = await Promise.all([list(name), list('routes'), list('jobs'), list('users')]);
  const nameOf = createDriverNames(routes, jobs, users);
  return devices.map((device) => ({ ...device, driverName: nameOf(String(device['deviceId'])) }));
}
