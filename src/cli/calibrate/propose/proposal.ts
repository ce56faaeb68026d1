/** Defines proposals: changes of the profile, or of the API's document by an overlay. */

/** An action of an OpenAPI Overlay 1.0. */
export interface OverlayAction {
  readonly target: string;
  readonly update?: unknown;
  readonly remove?: true;
}

/** A value of the profile, by its keys. */
export interface ProfileSetting {
  readonly keys: readonly string[];
  readonly value: unknown;
}

export interface Proposal {
  /** The setting of the findings that it is about. Another proposal with the same one replaces it. */
  readonly setting: string;
  /** Short text for the report: the key with its value, or the overlay's action. */
  readonly text: string;
  readonly change: ProfileSetting | OverlayAction;
}

/** Proposes a value of the profile. */
export function propose(keys: readonly string[], value: unknown, setting: string = keys.join('.')): Proposal {
  return { setting, text: `${keys.join('.')}: ${JSON.stringify(value)}`, change: { keys, value } };
}

export function toSettings(proposals: readonly Proposal[]): readonly ProfileSetting[] {
  return proposals.flatMap(({ change }) => ('keys' in change ? [change] : []));
}

export function toActions(proposals: readonly Proposal[]): readonly OverlayAction[] {
  return proposals.flatMap(({ change }) => ('keys' in change ? [] : [change]));
}
