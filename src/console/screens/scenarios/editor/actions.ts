/** The head of the editor: what is open, whether it is saved, and what the user can do with it. */
import { html, nothing, type TemplateResult } from 'lit';
import { projects } from '../../../data/live.ts';
import { choose, linkTo } from '../../../data/route.ts';
import { download } from '../../../parts/download.ts';
import { type IconName, icon } from '../../../parts/icon.ts';
import { askToDelete } from '../ask-to-delete.ts';
import { sourceLabels } from '../sources.ts';
import { renderStarters } from './starter-choices.ts';

export interface ActionsView {
  readonly text: string;
  /** The name in the text. */
  readonly name: string;
  readonly opened: string;
  readonly project: string | undefined;
  readonly source: string | undefined;
  /** Whether saving replaces another scenario. */
  readonly replaces: boolean;
  readonly isChanged: boolean;
  readonly isOfKey: boolean;
  readonly save: () => void;
  /** Without a project, for all of them. */
  readonly activate: () => void;
  readonly discard: () => void;
  readonly duplicate: () => void;
  readonly remove: () => void;
}

export function renderActions(view: ActionsView): TemplateResult {
  const { text, name, opened, source, replaces, isChanged } = view;
  const isNew = opened === 'new';
  return html`
    <div class="editor-head">
      <h1><a class="up" href=${linkTo('scenarios')}>Scenarios</a> / ${isNew ? 'New scenario' : opened}</h1>
      ${source === undefined ? nothing : html`<span class="chip quiet">${sourceLabels[source] ?? source}</span>`}
      ${isNew || isChanged ? html`<span class="chip warn">not saved</span>` : nothing}
      ${replaces ? html`<span class="chip warn">saving replaces ${name}</span>` : nothing}
      ${isChanged ? html`<button type="button" class="plain" @click=${view.discard}>Discard changes</button>` : nothing}
      <div class="row push">
        ${source === 'control' && !view.isOfKey ? action('trash', 'Delete', () => void removeAfterQuestion(view)) : nothing}
        ${isNew ? nothing : action('copy', 'Duplicate', view.duplicate)}
        ${action('download', 'Download', () => download(`${name || 'scenario'}.yaml`, 'application/yaml', text))}
        ${renderSave(view)}
      </div>
    </div>
    ${isNew ? renderStarters() : renderNote(view)}
  `;
}

function action(name: IconName, label: string, act: () => void): TemplateResult {
  return html`<button type="button" class="icon" aria-label=${label} title=${label} @click=${act}>${icon(name)}</button>`;
}

/** A key cannot change the library, nor activate for all projects. */
function renderSave({ project, isOfKey, save, activate }: ActionsView): TemplateResult {
  if (isOfKey && project === undefined) return renderProjects();
  const label = `${isOfKey ? 'Activate' : 'Save and activate'} for ${project ?? 'all projects'}`;
  return html`
    ${isOfKey ? nothing : html`<button type="button" title="Ctrl+S" @click=${save}>Save</button>`}
    <button type="button" class="main" @click=${activate}>${label}</button>
  `;
}

function renderProjects(): TemplateResult {
  return html`
    <select aria-label="Project" @change=${({ target }: Event) => choose({ project: (target as HTMLSelectElement).value })}>
      <option value="">Select a project to activate it</option>
      ${projects.get().map(({ id }) => html`<option value=${id}>${id}</option>`)}
    </select>
  `;
}

function renderNote({ source, isOfKey }: ActionsView): TemplateResult | typeof nothing {
  if (isOfKey || source === undefined || source === 'control') return nothing;
  if (source !== 'inline')
    return html`<p class="quiet">Your saved version takes precedence over the file. The file is not changed.</p>`;
  return html`<p class="quiet">It was activated inline: the library does not have it. Save adds it. Secrets in conditions are masked.</p>`;
}

async function removeAfterQuestion({ opened, remove }: ActionsView): Promise<void> {
  if (await askToDelete(opened)) remove();
}
