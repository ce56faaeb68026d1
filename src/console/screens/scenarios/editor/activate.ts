/** Activates a scenario of the editor, and reports what changed. Without a project, it is active for all projects. */
import { nameOf } from '../../../data/scenario-draft.ts';
import { notice } from '../../../parts/notices.ts';
import { setScenarioActive } from '../data.ts';
import type { InlineScenario } from '../schema.ts';

/** Activates a text without saving it. */
export async function activateText(project: string | undefined, text: string): Promise<void> {
  const { readScenario } = await import('../form/change-text.ts');
  await activate(project, nameOf(text), readScenario(text));
}

export async function activate(
  project: string | undefined,
  name: string,
  scenario: string | InlineScenario = name,
): Promise<void> {
  const note = await setScenarioActive(project, scenario, true);
  notice('good', `Activated ${name} for ${project ?? 'all projects'}.${note}`);
}
