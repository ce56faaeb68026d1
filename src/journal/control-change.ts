/** Defines the settings that the journal stores for recordings. */
import type { Trigger } from '../callbacks/callback.ts';
import type { Scenario } from '../scenarios/types.ts';

/** Scenarios of a project, or of all. `keeps`: the counts of those continue that were active before with the same content. */
export type ScenarioSetting<Scenarios> =
  | { readonly kind: 'scenarios'; readonly scenarios: Scenarios; readonly keeps?: true }
  | { readonly kind: 'server-scenarios'; readonly scenarios: Scenarios };

/** A change made through the control API. `now` and `to` are times of the project's clock. `rate`: default 1. */
export type RecordedSetting =
  | ScenarioSetting<readonly Scenario[]>
  | { readonly kind: 'clock'; readonly mode: 'real' | 'frozen'; readonly rate?: number; readonly now: string }
  | { readonly kind: 'advance'; readonly to: string }
  | { readonly kind: 'callback-endpoint'; readonly url: string | null; readonly disabled: boolean }
  | { readonly kind: 'redelivery'; readonly callback: string }
  | ({ readonly kind: 'trigger' } & Trigger)
  | { readonly kind: 'snapshot'; readonly snapshot: object };

export interface SettingEntry {
  /** Number of this change among all changes of its project. */
  readonly change: number;
  readonly atMs: number;
  readonly setting: RecordedSetting;
}
