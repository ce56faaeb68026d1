/** The scenarios that come with the sandbox; parsed when it was built, and checked by its tests. */
import shipped from 'virtual:shipped-scenarios';
import type { LibraryEntry } from './library.ts';
import type { Scenario } from './types.ts';

/** The one whose rules are in force beside all others, unless switched off. */
export const magicIds = 'magic-ids';

export const shippedScenarios: readonly LibraryEntry[] = shipped.map(({ text, value }) => {
  const scenario = value as Scenario;
  return { name: scenario.name, source: 'shipped', text, scenario };
});
