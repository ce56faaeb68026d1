/** Table of the shipped scenarios, from their descriptions. */
import { shippedScenarios } from '../../../src/scenarios/shipped.ts';
import { toTable } from './table.ts';

/** Returns the table. A description must have a sentence that begins with "A good client". */
export function toShippedTable(): string {
  const good = 'A good client ';
  const rows = shippedScenarios.map(({ name, scenario }) => {
    const description = (scenario.description ?? '').replace(/\s+/g, ' ').trim();
    const at = description.indexOf(good);
    if (at < 0) throw new Error(`${name}: the description does not say what a good client does`);
    return [
      `[${name}](../../scenarios/${name}.yaml)`,
      description.slice(0, at).trim(),
      toSentence(description.slice(at + good.length)),
    ];
  });
  return toTable(['scenario', 'what happens', 'a good client'], rows);
}

const toSentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
