/** The schema of a profile file, whose keys may all be missing. */
import { z } from 'zod';
import apiSource from '../../../../spec/openapi.yaml';
import type { ApiDocument } from '../../api-document.ts';
import { entryFieldsOf, statusesOf } from '../../document.ts';
import { type JobVariant, type OperationFacts, type Profile, shippedProfile } from '../profile.ts';
import { createBodiesSchema } from './bodies.ts';
import { callbacksSchema } from './callbacks.ts';
import { createPathsCheck, identifiersSchema } from './identifiers.ts';
import { basePathSchema, createOperationsSchema } from './operations.ts';
import { count, duration, partial, positiveDuration, responseHeadersSchema, size } from './pieces.ts';

/** Creates the schema of the required fields of entries that have these fields. */
function createRequired(names: readonly string[]): z.ZodType {
  const field = z.string().superRefine((name, context) => {
    if (names.includes(name)) return;
    const message = 'expected a field that these entries have';
    context.addIssue({ code: 'custom', message, params: { candidates: names } });
  });
  return z.array(field).refine((list) => list.includes('id'), {
    error: 'expected a list that contains "id", under which the sandbox stores an entry',
  });
}

const duplicate = z.enum(['reject', 'replace']);
const duplicates = Object.fromEntries(Object.keys(shippedProfile.duplicates).map((name) => [name, duplicate]));

const overlays = z
  .array(z.string().min(1, { error: 'expected the path of an overlay file, such as changes.overlay.yaml' }))
  .superRefine((names, context) => {
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index)
        context.addIssue({ code: 'custom', message: `the overlay ${name} is listed twice`, path: [index] });
  });

/** Returns the schema of the statuses that may follow each status. */
function createTransitions(names: readonly string[]): z.ZodType {
  return partial(Object.fromEntries(names.map((name) => [name, z.array(z.enum(names))])));
}

export type DeepPartial<T> = { readonly [Key in keyof T]?: T[Key] extends object ? DeepPartial<T[Key]> : T[Key] };

/** Creates the schema; `facts` says what a profile may change about each operation. */
export function createProfileSchema(
  facts: ReadonlyMap<string, OperationFacts>,
  document: ApiDocument = apiSource as ApiDocument,
): z.ZodType<DeepPartial<Profile>> {
  const errorNames = [...Object.keys(shippedProfile.errors), 'unknownPath'];
  const statuses = statusesOf(document);
  const errorStatus = z.int().min(400).max(599);
  const fieldsOf = entryFieldsOf(document);
  const variants = Object.keys(shippedProfile.required.jobs) as readonly JobVariant[];
  const jobs = Object.fromEntries(variants.map((variant) => [variant, createRequired(fieldsOf(variant))]));
  return partial({
    basePath: basePathSchema,
    overlays,
    identifiers: identifiersSchema,
    operations: createOperationsSchema(facts),
    errors: partial(Object.fromEntries(errorNames.map((name) => [name, errorStatus]))),
    codes: partial(Object.fromEntries(errorNames.map((name) => [name, z.string().min(1)]))),
    required: partial({
      jobs: z.union([createRequired(variants.flatMap(fieldsOf)), partial(jobs)]),
      orders: createRequired(fieldsOf('orders')),
      routes: createRequired(fieldsOf('routes')),
    }),
    duplicates: z.union([duplicate, partial({ ...duplicates, routeJobs: z.enum(['attach', 'replace', 'reject']) })]),
    updates: partial({ nested: z.enum(['replace', 'merge']) }),
    regions: partial({ separate: z.boolean() }),
    users: partial({
      attendantAccess: z.enum(['required', 'default']),
      withoutType: z.enum(['reject', 'attendant', 'driver']),
    }),
    nulls: z.enum(['reject', 'ignore']),
    transitions: partial({ jobs: createTransitions(statuses.jobs), orders: createTransitions(statuses.orders) }),
    otherSubproject: z.enum(['warn', 'reject']),
    rate: z.strictObject({ requests: count, per: positiveDuration }),
    downstream: partial({ processing: duration }),
    bodies: createBodiesSchema(facts),
    callbacks: callbacksSchema,
    responseHeaders: responseHeadersSchema,
    limits: partial({
      entries: count,
      body: size,
      depth: count.max(1000),
      values: count,
      names: count,
      journal: count,
      project: partial({
        records: count,
        bytes: size,
        pending: count,
        scenarios: count,
        waiting: count,
        followers: count,
        requestsPerSecond: count,
      }),
      key: partial({ projects: count }),
    }),
  }).check(createPathsCheck(facts)) as unknown as z.ZodType<DeepPartial<Profile>>;
}
