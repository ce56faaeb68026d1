/** The next step for a failure that clients have not met: activates a scenario that causes it. */
import { html, type TemplateResult } from 'lit';
import { callApi, type Schemas } from '../../../data/client.ts';
import { linkTo } from '../../../data/route.ts';
import { chosenProject } from '../../../parts/choose-project.ts';
import { copyButton } from '../../../parts/copy-button.ts';
import { attempt } from '../../../parts/notices.ts';
import { save, setScenarioActive } from '../../scenarios/data.ts';
import { rename } from '../../scenarios/text.ts';
import type { Item, Shown } from './filter.ts';

const maxNameLength = 64;

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
      const name = shipped ?? (await saveFailure(area.name, item.kind));
      await setScenarioActive(target, name, true);
    });
  };
  const label = project === undefined ? 'Activate' : `Activate for ${project}`;
  return html`
    ${id === undefined ? '' : copyButton('Copy id', () => id)}
    <button type="button" ?disabled=${project === undefined} title=${project === undefined ? 'Choose a project first' : (shipped ?? 'Saves a scenario in the library')} @click=${activate}>${label}</button>
  `;
}

/** Saves the catalog's scenario for a failure in the library. Returns its name. */
async function saveFailure(operation: string, kind: string): Promise<string> {
  const { items } = await callApi<Schemas['Catalog']>('GET', '/catalog');
  const failures = items.find((one) => one.operation === operation)?.failures ?? [];
  const found = failures.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`The catalog has no scenario for ${operation}, ${kind}.`);
  const name = `${operation.toLowerCase()}-${kind}`.slice(0, maxNameLength);
  await save(name, rename(found.yaml, name));
  return name;
}
