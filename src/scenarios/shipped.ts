/** The shipped scenarios. The build parses them, and the tests check them. */
import shipped from 'virtual:shipped-scenarios';
import type { LibraryEntry } from './library.ts';
import type { Scenario } from './types.ts';

/** Name of the scenario that is always active, unless magic ids are disabled. */
export const magicIds = 'magic-ids';

export const shippedScenarios: readonly LibraryEntry[] = shipped.map(({ text, value }) => {
  const scenario = value as Scenario;
  return { name: scenario.name, source: 'shipped', text, scenario };
});
