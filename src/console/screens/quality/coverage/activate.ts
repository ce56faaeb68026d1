/** The next step for a failure that clients have not met: activates a scenario that causes it. */
import { html, type TemplateResult } from 'lit';
import { linkTo } from '../../../data/route.ts';
import { chosenProject } from '../../../parts/choose-project.ts';
import { copyButton } from '../../../parts/copy-button.ts';
import { attempt } from '../../../parts/notices.ts';
import { readCatalog, setScenarioActive } from '../../scenarios/data.ts';
import { toFailure } from '../../scenarios/list/rows.ts';
import type { InlineScenario } from '../../scenarios/schema.ts';
import type { Item, Shown } from './filter.ts';

export function activateButton(area: Shown, item: Item): TemplateResult {
  const [, shipped] = /x-sandbox-scenario: ([\w-]+)/.exec(item.provoke) ?? [];
  const [, id] = /the id ([\w-]+)/.exec(item.provoke) ?? [];
  if (area.kind === 'callback' && shipped === undefined) {
    return html`<a href=${linkTo('callbacks', { view: 'endpoint' })}>Set the receiver</a>`;
  }
  const project = chosenProject();
  const activate = (): Promise<boolean> => {
    const target = project ?? '';
    const next = area.kind === 'operation' ? `Now call ${area.name}.` : 'Now let an entry fail.';
    return attempt(`${item.kind} is active for ${target}. ${next}`, async () => {
      await setScenarioActive(target, shipped ?? (await readFailure(area.name, item.kind)), true);
    });
  };
  const label = project === undefined ? 'Activate' : `Activate for ${project}`;
  return html`
    ${id === undefined ? '' : copyButton('Copy id', () => id)}
    <button type="button" ?disabled=${project === undefined} title=${project === undefined ? 'Choose a project first' : (shipped ?? 'The library stays as it is')} @click=${activate}>${label}</button>
  `;
}

/** Returns the catalog's scenario for a failure, to activate it inline: an API key cannot change the library. */
async function readFailure(operation: string, kind: string): Promise<InlineScenario> {
  const failures = (await readCatalog()).find((one) => one.operation === operation)?.failures ?? [];
  const found = failures.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`The catalog has no scenario for ${operation}, ${kind}.`);
  const { readScenario } = await import('../../scenarios/form/change-text.ts');
  return readScenario(toFailure({ operation }, found).text);
}
