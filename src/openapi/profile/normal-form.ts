/** Replaces the short forms of a profile by the full ones, so that all other code knows one form of each key. */
import type { Json } from '../../lib/json.ts';
import { shippedProfile } from './profile.ts';

/** Returns a profile file's values with one list or word for all replaced by one for each. */
export function toNormalForm(given: object): object {
  const normal: Json = { ...given };
  const { duplicates, required } = normal;
  if (typeof duplicates === 'string') normal['duplicates'] = forEach(shippedProfile.duplicates, duplicates);
  const jobs = (required as Json | undefined)?.['jobs'];
  if (Array.isArray(jobs)) {
    normal['required'] = { ...(required as Json), jobs: forEach(shippedProfile.required.jobs, jobs) };
  }
  return normal;
}

function forEach(keys: object, value: unknown): Json {
  return Object.fromEntries(Object.keys(keys).map((key) => [key, value]));
}
