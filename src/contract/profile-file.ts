/** Reads a profile file and merges it over the shipped one; all that is wrong with it at once, with line and column. */
import { z } from 'zod';
import { durationHelp, longestDuration, parseDuration } from '../base/duration.ts';
import { type Issue, readYaml } from '../base/yaml-file.ts';
import type { OperationFacts, Profile } from './profile.ts';
import { shippedProfile, sizePattern } from './profile.ts';

const duration = z.string().refine((text) => parseDuration(text) !== undefined, {
  error: `expected ${durationHelp}, and at most ${longestDuration}`,
});
const status = z.int().min(200).max(599);
const errorStatus = z.int().min(400).max(599);
const fields = z
  .array(z.string().min(1))
  .refine((names) => names.includes('id'), { error: 'expected a list with id in it: an entry is stored under its id' });

/** Operations whose failures no callback tells of. */
const onlySync = z.literal('sync', { error: 'expected sync, since no callback tells of what fails here' });

/** A path template of an operation: all of its parameters, in the path or in the query, and none besides. */
function pathSchema(parameters: readonly string[]) {
  return z.string().superRefine((path, context) => {
    const mistake = checkPath(path, parameters);
    if (mistake) context.addIssue({ code: 'custom', message: mistake });
  });
}

const controlPath = "expected a path outside of /_sandbox, which is the control API's";

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
  const operations = [...facts].map(([id, { parameters, canBeAsync }]) => [
    id,
    z
      .strictObject({
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).exactOptional(),
        path: pathSchema(parameters).exactOptional(),
        status: status.max(299).exactOptional(),
        mode: canBeAsync ? z.enum(['sync', 'async']).exactOptional() : onlySync.exactOptional(),
      })
      .exactOptional(),
  ]);
  const errors = Object.keys(shippedProfile.errors).map((kind) => [kind, errorStatus.exactOptional()]);
  return z.strictObject({
    basePath: z
      .string()
      .regex(/^(\/[^\s?#{}/]+)*$/, {
        error: 'expected nothing, or a path that begins with "/" and does not end with it',
      })
      .refine((path) => !isControlPath(path), { error: controlPath })
      .exactOptional(),
    operations: z.strictObject(Object.fromEntries(operations)).exactOptional(),
    errors: z.strictObject(Object.fromEntries(errors)).exactOptional(),
    required: z
      .strictObject({ jobs: fields.exactOptional(), orders: fields.exactOptional(), routes: fields.exactOptional() })
      .exactOptional(),
    duplicates: z.enum(['reject', 'replace']).exactOptional(),
    users: z.strictObject({ attendantAccess: z.enum(['required', 'default']).exactOptional() }).exactOptional(),
    downstream: z.strictObject({ processing: duration.exactOptional() }).exactOptional(),
    callbacks: z
      .strictObject({
        timeout: duration.exactOptional(),
        retries: z.array(duration).exactOptional(),
        concurrency: z.int().min(1).max(1000).exactOptional(),
      })
      .exactOptional(),
    limits: z
      .strictObject({
        entries: z.int().min(1).exactOptional(),
        body: z
          .string()
          .regex(sizePattern, { error: 'expected a number and B, kB or MB, such as 16MB' })
          .exactOptional(),
        depth: z.int().min(1).max(1000).exactOptional(),
      })
      .exactOptional(),
  }) as unknown as z.ZodType<DeepPartial<Profile>>;
}

type DeepPartial<T> = { readonly [Key in keyof T]?: T[Key] extends object ? DeepPartial<T[Key]> : T[Key] };

export type ParsedProfile =
  | { readonly ok: true; readonly profile: Profile }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** A profile's text over the shipped one. */
export function parseProfile(text: string, file: string, facts: ReadonlyMap<string, OperationFacts>): ParsedProfile {
  const read = readYaml(text, file, createSchema(facts));
  if (!read.ok) return read;
  const own = read.value;
  const merged = Object.fromEntries(
    Object.entries(shippedProfile).map(([key, usual]) => {
      const given = own[key as keyof Profile];
      const isGroup = typeof usual === 'object' && !Array.isArray(usual);
      return [key, isGroup ? { ...usual, ...(given as object | undefined) } : (given ?? usual)];
    }),
  );
  return { ok: true, profile: merged as unknown as Profile };
}
