/** The region of a request, by the first label of its host, and what a project is called where regions are separate. */
import { isRegion, type Region, regions } from '../config/keys.ts';

/** The header `host` of a request. */
type Host = string | readonly string[] | undefined;

const ofRegion = new RegExp(`@(${regions.join('|')})$`);

/** Returns the region in the first label of the host, as in `au.localhost`. Any other host serves all regions. */
export function toRegion(host: Host): Region | undefined {
  const text = String(host ?? '');
  if (text[2] !== '.') return undefined;
  const label = text.slice(0, 2).toLowerCase();
  return isRegion(label) ? label : undefined;
}

/** Returns the id under which the sandbox keeps a project: `acme@eu`, also for `acme` at the host of this region. */
export function toRegionalId(project: string, host: Host): string {
  const region = ofRegion.test(project) ? undefined : toRegion(host);
  return region === undefined ? project : `${project}@${region}`;
}

/** Returns the id of a project as the API has it: `acme` of `acme@eu`. */
export function withoutRegion(project: string): string {
  return project.replace(ofRegion, '');
}

/** Whether a request that names a project means this one, by its id or by what the API calls it. */
export function isNamed(project: string, name: string | undefined): boolean {
  return name === project || name === withoutRegion(project);
}

/** Returns the host of the region in the id of a project. */
export function toRegionHost(project: string): string | undefined {
  const region = ofRegion.exec(project)?.[1];
  return region && `${region}.localhost`;
}
