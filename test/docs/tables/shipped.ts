/** Tables of the shipped scenarios, from their descriptions, and of the magic ids, from their rules. */
import { magicIds, shippedScenarios } from '../../../src/scenarios/shipped.ts';
import type { Rule } from '../../../src/scenarios/types.ts';
import { code, toTable } from './table.ts';

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

/** Returns the table of magic ids. */
export function toMagicTable(): string {
  const rules = shippedScenarios.find(({ name }) => name === magicIds)?.scenario.rules ?? [];
  return toTable(
    ['id', 'result'],
    rules.map((rule) => [toIds(rule), toResult(rule)]),
  );
}

function toIds({ when }: Rule): string {
  const item = when?.item;
  if (typeof item !== 'object' || !('id' in item)) throw new Error('expected a rule with `item: { id }`');
  return [item.id].flat().map(code).join(', ');
}

function toResult({ then }: Rule): string {
  const { refuse, fail, after, latency, respond } = then;
  if (refuse !== undefined) return `the response rejects the entry: "${refuse}"`;
  if (fail !== undefined) return `the entry fails downstream${after === undefined ? '' : ` after ${after}`}: "${fail}"`;
  if (latency !== undefined) return `the response is delayed by ${String(latency)}`;
  return `the response has status ${respond?.status}, and the request has no effect`;
}
