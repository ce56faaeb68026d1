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

/** Whether nothing can cause a condition of a callback: the receiver itself has to respond. */
function needsReceiver({ kind }: Shown, item: Item): boolean {
  return kind === 'callback' && shippedOf(item) === undefined;
}

/** Returns the shipped scenario that causes a failure. */
function shippedOf({ provoke }: Item): string | undefined {
  return /x-sandbox-scenario: ([\w-]+)/.exec(provoke)?.[1];
}

/** Activates a scenario that causes the failure in a project. Returns whether that succeeded. */
function activate({ kind, name }: Shown, item: Item, project: string): Promise<boolean> {
  const next = kind === 'operation' ? `Now call ${name}.` : 'Now let an entry fail.';
  return attempt(`${item.kind} is active for ${project}. ${next}`, async () => {
    await setScenarioActive(project, shippedOf(item) ?? (await readFailure(name, item.kind)), true);
  });
}

export function activateButton(area: Shown, item: Item): TemplateResult {
  if (needsReceiver(area, item)) {
    return html`<a class="button" href=${linkTo('callbacks', { view: 'endpoint' })}>Set the receiver</a>`;
  }
  const [, id] = /the id ([\w-]+)/.exec(item.provoke) ?? [];
  const project = chosenProject();
  const label = project === undefined ? 'Activate' : `Activate for ${project}`;
  const title = project === undefined ? 'Choose a project first' : (shippedOf(item) ?? 'The library stays as it is');
  return html`
    ${id === undefined ? '' : copyButton('Copy id', () => id)}
    <button type="button" ?disabled=${project === undefined} title=${title} @click=${() => project !== undefined && activate(area, item, project)}>${label}</button>
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
