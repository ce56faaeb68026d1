/** Parses a profile file and merges it over the default profile; reports all mistakes at once, with line and column. */
import { z } from 'zod';
import { type Issue, readYaml } from '../../diagnostics/yaml-file.ts';
import { isObject, type Json } from '../../lib/json.ts';
import type { ApiDocument } from '../api-document.ts';
import { type OperationFacts, type Profile, shippedProfile } from './profile.ts';
import { createProfileSchema } from './schema/profile-schema.ts';

export type ParsedProfile =
  | { readonly ok: true; readonly profile: Profile }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Parses a profile's text and merges it over the default profile. `document`: the API document with its overlays. */
export function parseProfile(
  text: string,
  file: string,
  facts: ReadonlyMap<string, OperationFacts>,
  document?: ApiDocument,
): ParsedProfile {
  const read = readYaml(text, file, createProfileSchema(facts, document));
  if (!read.ok) return read;
  const merged = merge(shippedProfile, toNormalForm(read.value));
  return { ok: true, profile: merged as unknown as Profile };
}

/** Returns the overlay files that a profile's text names; empty if it cannot be parsed. */
export function overlayNames(text: string): readonly string[] {
  const read = readYaml(text, '', z.looseObject({ overlays: z.array(z.string()).optional() }));
  return read.ok ? (read.value.overlays ?? []) : [];
}

/** Returns a profile file's values with one list or word for all replaced by one for each, as all other code knows them. */
function toNormalForm(given: object): object {
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

/** Merges the given values over the default ones, object by object; replaces lists as a whole. */
function merge(shipped: object, given: object): object {
  const merged: Record<string, unknown> = { ...shipped };
  for (const [key, value] of Object.entries(given)) {
    const shippedValue = merged[key];
    merged[key] = isObject(shippedValue) && isObject(value) ? merge(shippedValue, value) : value;
  }
  return merged;
}
