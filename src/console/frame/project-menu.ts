/** The menu of projects: recent ones, then those with the most requests, and any other name. */
import { html, type TemplateResult } from 'lit';
import { projects } from '../data/live.ts';
import { openProject } from '../data/open-project.ts';
import { ranked } from '../data/rank.ts';
import { recentProjects } from '../data/recent-projects.ts';
import { route, type ScreenName } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import '../parts/choice-list.ts';
import type { Choice } from '../parts/choice-list.ts';
import { onlyProject } from '../parts/choose-project.ts';
import '../parts/drop-down.ts';
import { icon } from '../parts/icon.ts';

/** Screens that show all projects if none is selected. The other screens need one project. */
const screensOfAllProjects: readonly ScreenName[] = ['live', 'quality', 'reference'];

class ProjectMenu extends PageElement {
  static override properties = { text: { state: true } };
  declare private text: string;

  constructor() {
    super();
    this.text = '';
    watch(this, projects, route);
  }

  protected override render(): TemplateResult {
    const { project = '' } = route.get().query;
    const shown = project === '' ? placeholder() : project;
    const content = html`${icon('box')}<span class="name">${shown}</span>${icon('chevrons-up-down')}`;
    const panel = (close: () => void): TemplateResult => html`
      <choice-list name="projects" label="Find a project" placeholder="Find or name a project…" .choices=${choicesFor(this.text)}
        .onText=${(text: string) => (this.text = text)} .onChoose=${close}></choice-list>
    `;
    return html`
      <drop-down name="project" label=${`Project: ${shown}`} look="project" .content=${content} .panel=${panel}
        @opened=${() => (this.text = '')}></drop-down>
    `;
  }
}

function placeholder(): string {
  if (screensOfAllProjects.includes(route.get().screen)) return 'All projects';
  return onlyProject() ?? 'Select a project';
}

/** Returns the projects that a text finds; also the text itself, because a project need not exist yet. */
function choicesFor(text: string): readonly Choice[] {
  const name = text.trim();
  const found = ranked(projectChoices(), name);
  const isKnown = name === '' || found.some(({ title }) => title === name);
  return isKnown ? found : [...found, toChoice('Not created yet', name, 'plus')];
}

/** Returns all projects as choices. */
export function projectChoices(): readonly Choice[] {
  const all = projects.get();
  const known = new Map(all.map((one) => [one.id, one]));
  const recent = recentProjects().filter((id) => known.has(id));
  const byRequests = all.toSorted((one, other) => other.counts.requests - one.counts.requests);
  const rest = byRequests.map(({ id }) => id).filter((id) => !recent.includes(id));
  const everything = toChoice('Projects', '', 'layers', 'All projects');
  const toProject = (group: string) => (id: string) => ({
    ...toChoice(group, id, 'box'),
    hint: (known.get(id)?.counts.requests ?? 0).toLocaleString('en'),
  });
  return [
    everything,
    ...recent.map(toProject('Recent')),
    ...rest.map(toProject(recent.length === 0 ? 'Projects' : 'Other projects')),
  ];
}

function toChoice(group: string, id: string, name: Choice['icon'], title = id): Choice {
  const { screen, query } = route.get();
  const current = query['project'] ?? (screensOfAllProjects.includes(screen) ? '' : onlyProject());
  const isCurrent = id === current;
  return { key: `project ${id}`, group, title, icon: name, isCurrent, run: () => openProject(id) };
}

customElements.define('project-menu', ProjectMenu);
