/**
 * Estimates the memory of scenarios that the journal stores: their text, and the compiled form that explains requests.
 */
import type { Scenario } from '../scenarios/types.ts';

// Measured on Node 20, rounded up.
const bytesPerCharacter = 4;
const bytesPerRule = 500;

/** Creates a function that returns the size of a scenario in bytes, computed only once per scenario. */
export function createScenarioSizes(): (scenario: Scenario) => number {
  const sizes = new WeakMap<Scenario, number>();
  return (scenario) => {
    let size = sizes.get(scenario);
    if (size === undefined) {
      size = JSON.stringify(scenario).length * bytesPerCharacter + scenario.rules.length * bytesPerRule;
      sizes.set(scenario, size);
    }
    return size;
  };
}
