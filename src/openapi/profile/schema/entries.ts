/** The schemas of the keys about entries and their records: `required`, `duplicates`, `users` and so on. */
import { z } from 'zod';
import { shippedProfile } from '../profile.ts';
import { count, duration, partial } from './pieces.ts';

const fields = z.array(z.string().min(1)).refine((names) => names.includes('id'), {
  error: 'expected a list that contains "id", under which the sandbox stores an entry',
});
const variants = partial({ create: fields, update: fields, inRoute: fields });
const duplicate = z.enum(['reject', 'replace']);
const ofRouteJobs = z.enum(['attach', 'replace', 'reject']);
const perCollection = Object.keys(shippedProfile.duplicates).map((name) => [
  name,
  name === 'routeJobs' ? ofRouteJobs : duplicate,
]);

export const requiredSchema: z.ZodType = partial({
  jobs: z.union([fields, variants]),
  orders: fields,
  routes: fields,
});
export const duplicatesSchema: z.ZodType = z.union([duplicate, partial(Object.fromEntries(perCollection))]);
export const updatesSchema: z.ZodType = partial({ nested: z.enum(['replace', 'merge']) });
export const regionsSchema: z.ZodType = partial({ separate: z.boolean() });
export const usersSchema: z.ZodType = partial({
  attendantAccess: z.enum(['required', 'default']),
  withoutType: z.enum(['reject', 'attendant', 'driver']),
});
export const nullsSchema: z.ZodType = z.enum(['reject', 'ignore']);
export const otherSubprojectSchema: z.ZodType = z.enum(['warn', 'reject']);
export const rateSchema: z.ZodType = z.strictObject({ requests: count, per: duration });

/** Creates the schema of `transitions` for the statuses of each collection. */
export function createTransitionsSchema(statuses: Readonly<Record<'jobs' | 'orders', readonly string[]>>): z.ZodType {
  const ofCollection = (names: readonly string[]) => {
    const following = z.array(z.enum(names));
    return partial(Object.fromEntries(names.map((name) => [name, following])));
  };
  return partial({ jobs: ofCollection(statuses.jobs), orders: ofCollection(statuses.orders) });
}
