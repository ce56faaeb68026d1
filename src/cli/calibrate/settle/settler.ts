/** Defines settlers: each turns one kind of evidence into proposals for the profile or an overlay. */
import type { AppliedProfile } from '../../../config/config-files.ts';
import type { Json } from '../../../lib/json.ts';
import type { Finding } from '../compare/difference.ts';
import { type Exchange, isObject } from '../exchange.ts';
import type { Mapping } from '../mapping/map.ts';
import type { Case } from '../play/play.ts';

/** An action of an OpenAPI Overlay 1.0. */
export interface OverlayAction {
  readonly target: string;
  readonly description?: string;
  readonly update?: unknown;
  readonly remove?: true;
}

export interface Proposal {
  /** Short text for the report: the key with its value, or the overlay's action. */
  readonly text: string;
  /** Values to merge into the profile. */
  readonly patch?: Json;
  readonly actions?: readonly OverlayAction[];
  /** Whether it is a guess that must be tried before it is kept. */
  readonly isGuess?: boolean;
  /** Whether it settles a finding. */
  settles(finding: Finding): boolean;
}

/** What settlers may use: the traffic beside the sandbox's responses under the present profile. */
export interface Evidence {
  readonly mapping: Mapping;
  readonly cases: readonly Case[];
  readonly applied: AppliedProfile;
}

export type Settler = (evidence: Evidence) => readonly Proposal[];

/** Returns the value that appears most often, with its share, or undefined without values. */
export function findMajority<Value extends string | number>(
  values: readonly Value[],
): { readonly value: Value; readonly share: number } | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first && { value: first[0], share: first[1] / values.length };
}

/** Returns the entries of a request's list, or its body as the only entry. */
export function entriesOf({ body }: Pick<Exchange, 'body'>, list: string | undefined): readonly unknown[] {
  const value = body?.value;
  if (list === undefined) return value === undefined ? [] : [value];
  const entries = isObject(value) ? value[list] : undefined;
  return Array.isArray(entries) ? entries : [];
}

/** Merges a patch into a value, object by object. */
export function mergePatch(value: Json, patch: Json): Json {
  const merged: Json = { ...value };
  for (const [key, inner] of Object.entries(patch)) {
    const present = merged[key];
    merged[key] = isObject(inner) && isObject(present) ? mergePatch(present, inner) : inner;
  }
  return merged;
}
