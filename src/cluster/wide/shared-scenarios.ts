/** Keeps the scenario library and the server scenarios the same at all replicas. */
import type { ControlParts } from '../../control-api/handler.ts';
import { readEntry, removeEntry, storeEntry } from '../../control-api/library.ts';
import { activateForAll } from '../../control-api/scenarios.ts';
import { createSlices } from '../../lib/slices.ts';
import { compileScenario } from '../../scenarios/compile.ts';
import type { Scenario } from '../../scenarios/types.ts';
import type { SharedValue } from '../shared-value.ts';

export interface SharedScenarios {
  /** Texts of the scenarios that were stored by the control API, by name. */
  readonly library: SharedValue<Readonly<Record<string, string>>>;
  readonly activation: SharedValue<Activation>;
}

/** An activation of scenarios for all projects. Each starts the counts of rules at zero. */
export interface Activation {
  /** Null: those of the options, after a reset. */
  readonly scenarios: readonly Scenario[] | null;
}

/** Applies what all replicas have, and all later changes. */
export async function useSharedScenarios(
  control: ControlParts,
  { library, activation }: SharedScenarios,
): Promise<void> {
  await library.use((texts) => applyLibrary(control, texts));
  await activation.use(async ({ scenarios }) => {
    if (scenarios) activateForAll(control, await Promise.all(scenarios.map(compileScenario)));
    else control.projects.resetServerScenarios();
  });
}

/** Makes the library contain these scenarios of the control API and no others. */
async function applyLibrary(control: ControlParts, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const { name, source } of control.library.list())
    if (source === 'control' && !Object.hasOwn(texts, name)) removeEntry(control, name);
  for (const [name, text] of Object.entries(texts)) {
    const existing = control.library.find(name);
    if (existing?.source === 'control' && existing.text === text) continue;
    const { entry } = await readEntry(createSlices(control.wall), name, text);
    if (entry) storeEntry(control, entry);
  }
}
