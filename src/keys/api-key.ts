/** An API key without its text: the projects, region and limits of its requests; and the regions of hosts and projects. */
import { isRegion, type Region, regions } from '../config/keys.ts';
import type { Problem } from '../lib/problem.ts';
import { matchesGlob } from '../scenarios/glob.ts';
import type { KeyLimits } from '../usage/limits.ts';

export interface Grant {
  readonly region: Region | undefined;
  /** Ids, and globs with `*` and `?`; undefined means every project. */
  readonly projects: readonly string[] | undefined;
}

export interface ApiKey {
  /** Identifies the key without revealing it. */
  readonly id: string;
  readonly grants: readonly Grant[];
  /** Replace the limits of the profile for requests with this key. */
  readonly limits: KeyLimits | undefined;
  /** Time of the wall clock, in milliseconds; undefined: never. */
  readonly expiresAtMs: number | undefined;
  /** Whether a grant has a glob, so that the key can create projects without end. */
  readonly hasGlob: boolean;
}

export function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

/** Returns whether a key is bound to projects. Others open no part of the control API. */
export function isBound({ grants }: ApiKey): boolean {
  return grants.every(({ projects }) => projects !== undefined);
}

/**
 * Returns why a request with this key is rejected at this host, or undefined. Without a project, any project of the key
 * will do. Where regions have projects of their own, the region of an id such as `acme@eu` counts before that of the host.
 */
export function checkProject(
  { grants }: ApiKey,
  host: Host,
  id: string | undefined,
  separatesRegions: boolean,
): Problem | undefined {
  const { name: project, region = toRegion(host) } = toPlace(id, separatesRegions);
  const inRegion = grants.filter((grant) => isIn(grant, region));
  const isFor = (grant: Grant): boolean => project === undefined || includes(grant, project);
  if (inRegion.some(isFor)) return undefined;
  const elsewhere = inRegion.length === 0 ? grants : grants.filter(isFor);
  if (elsewhere.length === 0) return toKeyProblem('foreignKey', 'this API key is for another project');
  const regionNames = elsewhere.map((grant) => grant.region).join(', ');
  return toKeyProblem(
    'foreignKey',
    `this API key is for region ${regionNames}; the request was made to ${String(region)}`,
  );
}

/** Returns the grants of a key that name a project, at any host. */
function grantsFor({ grants }: ApiKey, id: string, separatesRegions: boolean): readonly Grant[] {
  const { name, region } = toPlace(id, separatesRegions);
  return grants.filter((grant) => isIn(grant, region) && includes(grant, name));
}

/** Returns whether a key is for this project, at any host. */
export function opens(key: ApiKey, id: string, separatesRegions: boolean): boolean {
  return grantsFor(key, id, separatesRegions).length > 0;
}

/** Returns whether only a glob of the key names this project. */
export function isByGlob(key: ApiKey, id: string, separatesRegions: boolean): boolean {
  const { name } = toPlace(id, separatesRegions);
  const own = grantsFor(key, id, separatesRegions);
  return own.length > 0 && own.every(({ projects }) => projects && !projects.includes(name));
}

/** Returns the globs of a key, also for the projects of regions. */
export function toGlobs({ grants }: ApiKey): readonly string[] {
  const globs = new Set(grants.flatMap(({ projects = [] }) => projects.filter(isGlob)));
  return [...globs].flatMap((glob) => [glob, `${glob}@??`]);
}

/** Returns the name of a project in the API, and the region of its id, if regions have projects of their own. */
function toPlace<Id extends string | undefined>(id: Id, separatesRegions: boolean) {
  if (id === undefined || !separatesRegions) return { name: id };
  return { name: withoutRegion(id), region: ofRegion.exec(id)?.[1] };
}

/** Whether a grant is for a region. Without a region, it is enough that it is for one. */
function isIn({ region: own }: Grant, region: string | undefined): boolean {
  return !own || !region || own === region;
}

function includes({ projects }: Grant, project: string): boolean {
  return !projects || projects.some((glob) => matchesGlob(glob, project));
}

export function toKeyProblem(kind: 'missingKey' | 'unknownKey' | 'foreignKey', message: string): Problem {
  return { kind, message, errors: [{ path: 'header:apikey', message }] };
}

/** The problem of a request whose key has ended while it was read, or waited. */
export const lostAccess: Problem = toKeyProblem('unknownKey', 'this API key has expired or was deleted');

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
