/** Keeps the scenario library and the server scenarios the same at all replicas. */
import { randomUUID } from 'node:crypto';
import type { ControlParts } from '../../control-api/handler.ts';
import { readEntry, removeEntry, storeEntry } from '../../control-api/library.ts';
import { activateForAll } from '../../control-api/scenarios.ts';
import { createSlices } from '../../lib/slices.ts';
import { compileScenario } from '../../scenarios/compile.ts';
import type { Scenario } from '../../scenarios/types.ts';
import type { SharedValue } from '../shared-value.ts';

/** Texts of the scenarios that were stored by the control API, by name. */
export type SharedLibrary = Readonly<Record<string, string>>;

/** An activation of scenarios for all projects. */
export interface Activation {
  /** Differs at each activation, which starts the counts of rules at zero. */
  readonly id: string;
  /** Null: those of the options, after a reset. */
  readonly scenarios: readonly Scenario[] | null;
}

export interface SharedScenarios {
  /** Applies what the other replicas have, and all later changes. */
  begin(control: ControlParts): Promise<void>;
  /** Resolves when all changes that are known here are applied. */
  settled(): Promise<void>;
  shareScenario(name: string, text: string | undefined): Promise<void>;
  shareServerScenarios(scenarios: readonly Scenario[] | null): Promise<void>;
}

interface Values {
  readonly library: SharedValue<SharedLibrary>;
  readonly activation: SharedValue<Activation>;
}

export const noActivation: Activation = { id: '', scenarios: null };

export function createSharedScenarios({ library, activation }: Values): SharedScenarios {
  let control: ControlParts | undefined;
  /** Changes are applied one after another. */
  let latest: Promise<void> = Promise.resolve();
  let appliedId = '';

  function settle(): Promise<void> {
    latest = latest
      .catch(() => undefined)
      .then(async () => {
        if (!control) return;
        await applyLibrary(control, library.current());
        await applyActivation(control, activation.current());
      });
    // A failure is reported to those who wait.
    latest.catch(() => undefined);
    return latest;
  }

  async function applyActivation(to: ControlParts, { id, scenarios }: Activation): Promise<void> {
    if (id === appliedId) return;
    const compiled = scenarios && (await Promise.all(scenarios.map(compileScenario)));
    appliedId = id;
    // The reset itself has activated those of the options.
    if (compiled) activateForAll(to, compiled);
  }

  library.onChange(() => void settle());
  activation.onChange(() => void settle());

  return {
    settled: () => latest,
    begin: (given) => {
      control = given;
      return settle();
    },
    shareScenario: async (name, text) => {
      await library.update(({ [name]: _replaced, ...others }) =>
        text === undefined ? others : { ...others, [name]: text },
      );
      await latest;
    },
    shareServerScenarios: async (scenarios) => {
      await activation.update(() => ({ id: randomUUID(), scenarios }));
      await latest;
    },
  };
}

/** Makes the library contain these scenarios of the control API and no others. */
async function applyLibrary(control: ControlParts, texts: SharedLibrary): Promise<void> {
  for (const { name, source } of control.library.list())
    if (source === 'control' && texts[name] === undefined) removeEntry(control, name);
  for (const [name, text] of Object.entries(texts)) {
    const existing = control.library.find(name);
    if (existing?.source === 'control' && existing.text === text) continue;
    const { entry } = await readEntry(createSlices(control.wall), name, text);
    if (entry) storeEntry(control, entry);
  }
}
