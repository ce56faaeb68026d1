/** The schema of a profile file, whose keys may all be missing. */
import { z } from 'zod';
import apiSource from '../../../../spec/openapi.yaml';
import { type ApiDocument, statusesOf } from '../../document.ts';
import { type OperationFacts, type Profile, shippedProfile } from '../profile.ts';
import { createBodiesSchema } from './bodies.ts';
import { callbacksSchema, downstreamSchema } from './callbacks.ts';
import {
  createTransitionsSchema,
  duplicatesSchema,
  nullsSchema,
  otherSubprojectSchema,
  rateSchema,
  regionsSchema,
  requiredSchema,
  updatesSchema,
  usersSchema,
} from './entries.ts';
import { responseHeadersSchema } from './headers.ts';
import { createPathsCheck, identifiersSchema } from './identifiers.ts';
import { limitsSchema } from './limits.ts';
import { basePathSchema, createOperationsSchema } from './operations.ts';
import { overlaysSchema } from './overlays.ts';
import { partial } from './pieces.ts';

export type DeepPartial<T> = { readonly [Key in keyof T]?: T[Key] extends object ? DeepPartial<T[Key]> : T[Key] };

/** Creates the schema; `facts` says what a profile may change about each operation. */
export function createProfileSchema(
  facts: ReadonlyMap<string, OperationFacts>,
  document: ApiDocument = apiSource as ApiDocument,
): z.ZodType<DeepPartial<Profile>> {
  const errorNames = [...Object.keys(shippedProfile.errors), 'unknownPath'];
  const errorStatus = z.int().min(400).max(599);
  return partial({
    basePath: basePathSchema,
    overlays: overlaysSchema,
    identifiers: identifiersSchema,
    operations: createOperationsSchema(facts),
    errors: partial(Object.fromEntries(errorNames.map((name) => [name, errorStatus]))),
    codes: partial(Object.fromEntries(errorNames.map((name) => [name, z.string().min(1)]))),
    required: requiredSchema,
    duplicates: duplicatesSchema,
    updates: updatesSchema,
    regions: regionsSchema,
    users: usersSchema,
    nulls: nullsSchema,
    transitions: createTransitionsSchema(statusesOf(document)),
    otherSubproject: otherSubprojectSchema,
    rate: rateSchema,
    downstream: downstreamSchema,
    bodies: createBodiesSchema(facts),
    callbacks: callbacksSchema,
    responseHeaders: responseHeadersSchema,
    limits: limitsSchema,
  }).check(createPathsCheck(facts)) as unknown as z.ZodType<DeepPartial<Profile>>;
}
