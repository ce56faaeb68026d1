/** Parses a profile file and merges it over the default profile; reports all mistakes at once, with line and column. */
import { z } from 'zod';
import { type Issue, readYaml } from '../diagnostics/yaml-file.ts';
import { durationHelp, maxDuration, parseDuration } from '../lib/duration.ts';
import type { OperationFacts, Profile } from './profile.ts';
import { shippedProfile, sizePattern } from './profile.ts';

const duration = z.string().refine((text) => parseDuration(text) !== undefined, {
  error: `expected ${durationHelp}, and at most ${maxDuration}`,
});
const size = z.string().regex(sizePattern, { error: 'expected a number and B, kB, MB or GB, such as 16MB' });
const count = z.int().min(1);
const status = z.int().min(200).max(599);
const errorStatus = z.int().min(400).max(599);
const fields = z.array(z.string().min(1)).refine((names) => names.includes('id'), {
  error: 'expected a list that contains "id", under which the sandbox stores an entry',
});

/** Mode of operations whose failures no callback reports. */
const onlySync = z.literal('sync', { error: 'expected sync, because no callback reports failures of this operation' });

/** Returns the schema of a path template, which must have exactly these parameters, in its path or query. */
function pathSchema(parameters: readonly string[]) {
  return z.string().superRefine((path, context) => {
    const mistake = checkPath(path, parameters);
    if (mistake) context.addIssue({ code: 'custom', message: mistake });
  });
}

const controlPath = 'expected a path outside /_sandbox, which is reserved for the control API';

function isControlPath(path: string): boolean {
  return path === '/_sandbox' || path.startsWith('/_sandbox/');
}

function checkPath(path: string, parameters: readonly string[]): string | undefined {
  if (!/^\/[^\s#]*$/.test(path)) return 'expected a path that begins with "/"';
  if (isControlPath(path)) return controlPath;
  const found = [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? '');
  const missing = parameters.find((name) => !found.includes(name));
  if (missing) return `expected the parameter {${missing}} in the path or its query`;
  const unknown = found.find((name) => !parameters.includes(name));
  if (unknown !== undefined)
    return `expected only the parameters ${parameters.map((name) => `{${name}}`).join(', ')}, got {${unknown}}`;
  return found.length > new Set(found).size ? 'expected each parameter once' : undefined;
}

function createSchema(facts: ReadonlyMap<string, OperationFacts>): z.ZodType<DeepPartial<Profile>> {
  const operations = [...facts].map(([id, { parameters, canBeAsync }]) => {
    const mode = canBeAsync ? z.enum(['sync', 'async']) : onlySync;
    const method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
    return [id, partial({ method, path: pathSchema(parameters), status: status.max(299), mode })];
  });
  const errors = Object.keys(shippedProfile.errors).map((kind) => [kind, errorStatus]);
  return partial({
    basePath: z
      .string()
      .regex(/^(\/[^\s?#{}/]+)*$/, {
        error: 'expected an empty text, or a path that begins with "/" and does not end with "/"',
      })
      .refine((path) => !isControlPath(path), { error: controlPath }),
    operations: partial(Object.fromEntries(operations)),
    errors: partial(Object.fromEntries(errors)),
    required: partial({ jobs: fields, orders: fields, routes: fields }),
    duplicates: z.enum(['reject', 'replace']),
    users: partial({ attendantAccess: z.enum(['required', 'default']) }),
    downstream: partial({ processing: duration }),
    callbacks: partial({ timeout: duration, retries: z.array(duration), concurrency: count.max(1000) }),
    limits: partial({
      entries: count,
      body: size,
      depth: count.max(1000),
      values: count,
      names: count,
      project: partial({
        records: count,
        bytes: size,
        pending: count,
        scenarios: count,
        waiting: count,
        followers: count,
        requestsPerSecond: count,
      }),
    }),
  }) as unknown as z.ZodType<DeepPartial<Profile>>;
}

/** Returns the schema of an object whose fields may be missing. Unlike `partial` of zod, it rejects other empty values. */
function partial(shape: Readonly<Record<string, z.ZodType>>): z.ZodType {
  return z.strictObject(Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, type.exactOptional()])));
}

type DeepPartial<T> = { readonly [Key in keyof T]?: T[Key] extends object ? DeepPartial<T[Key]> : T[Key] };

export type ParsedProfile =
  | { readonly ok: true; readonly profile: Profile }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Parses a profile's text and merges it over the default profile. */
export function parseProfile(text: string, file: string, facts: ReadonlyMap<string, OperationFacts>): ParsedProfile {
  const read = readYaml(text, file, createSchema(facts));
  if (!read.ok) return read;
  const merged = merge(shippedProfile, read.value);
  return { ok: true, profile: merged as unknown as Profile };
}

/** Merges the given values over the default ones, object by object; replaces lists as a whole. */
function merge(shipped: object, given: object): object {
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged: Record<string, unknown> = { ...shipped };
  for (const [key, value] of Object.entries(given)) {
    const shippedValue = merged[key];
    merged[key] = isObject(shippedValue) && isObject(value) ? merge(shippedValue, value) : value;
  }
  return merged;
}
