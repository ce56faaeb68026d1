/** Defines proposals: changes of the profile, or of the API's document by an overlay. */
import type { AppliedProfile } from '../../../config/config-files.ts';
import type { Json } from '../../../lib/json.ts';
import type { Finding } from '../compare/difference.ts';
import { isObject } from '../exchange.ts';
import type { Mapping } from '../mapping/map.ts';
import type { Case } from '../play/play.ts';

/** An action of an OpenAPI Overlay 1.0. */
export interface OverlayAction {
  readonly target: string;
  readonly update?: unknown;
  readonly remove?: true;
}

export interface Proposal {
  /** Short text for the report: the key with its value, or the overlay's action. */
  readonly text: string;
  /** Values to merge into the profile. */
  readonly patch?: Json;
  readonly actions?: readonly OverlayAction[];
  /** Whether it settles a finding. */
  settles(finding: Finding): boolean;
}

/** A proposal to try: it is kept if the sandbox agrees more with it. */
export type Trial = Omit<Proposal, 'settles'> & {
  /** Whether it may change the sandbox's response in a case. */
  isAbout(one: Case): boolean;
};

/** What proposals are derived from: the traffic beside the sandbox's responses under the present profile. */
export interface Evidence {
  readonly mapping: Mapping;
  readonly cases: readonly Case[];
  readonly applied: AppliedProfile;
}

type Changes = readonly Pick<Proposal, 'patch' | 'actions'>[];

export function toPatch(proposals: Changes): Json {
  return proposals.reduce<Json>((patch, proposal) => mergePatch(patch, proposal.patch ?? {}), {});
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

/** Returns the actions of all proposals; updates of the same target become one. */
export function toActions(proposals: Changes): readonly OverlayAction[] {
  const merged = new Map<string, OverlayAction>();
  for (const action of proposals.flatMap(({ actions = [] }) => actions)) {
    const key = `${action.remove} ${action.target}`;
    const present = merged.get(key);
    merged.set(key, present?.update ? { ...action, update: mergeUpdates(present.update, action.update) } : action);
  }
  return [...merged.values()];
}

/** Merges updates as an overlay applies them one after another. */
function mergeUpdates(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if (!isObject(one) || !isObject(other)) return other;
  const merged: Json = { ...one };
  for (const [name, value] of Object.entries(other))
    merged[name] = name in one ? mergeUpdates(one[name], value) : value;
  return merged;
}
