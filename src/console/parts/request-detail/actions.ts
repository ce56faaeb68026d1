/** The actions of a request, as buttons with icons. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { sentHeaders, toCurl, toHar } from '../../data/export-request.ts';
import { forkProject } from '../../data/fork-project.ts';
import type { RequestDetails } from '../../data/request-details.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { toDraft } from '../../data/scenario-draft.ts';
import { copyText } from '../copy-button.ts';
import { download } from '../download.ts';
import { type IconName, icon } from '../icon.ts';
import { attempt, notice } from '../notices.ts';
import { openDraft } from '../open-draft.ts';
import { sendAndOpen } from './send.ts';

type Request = Schemas['RequestSummary'];

export interface Editing {
  readonly isEditing: boolean;
  readonly toggle: () => void;
}

export function renderActions(details: RequestDetails, { isEditing, toggle }: Editing): TemplateResult {
  const { request: found } = details;
  const { request, project, change } = found;
  return html`
    <div class="row actions" role="group" aria-label="Actions">
      ${action('copy', 'Copy as curl', () => copyText(toCurl(found)))}
      ${action('download', 'Download HAR', () => download(`${found.id}.har`, 'application/json', toHar(found)))}
      ${request.bodyCut === undefined ? action('repeat', 'Send again', () => sendAndOpen(request.method, request.url, sentHeaders(request), request.body)) : nothing}
      <button type="button" class="icon" aria-pressed=${isEditing} aria-label="Edit and send" title="Edit and send" @click=${toggle}>${icon('pencil')}</button>
      ${found.operation === null ? nothing : action('flask-conical', 'Create scenario from this', () => openDraft(toDraft(found, details.callbacks)))}
      ${project === null || change === null ? nothing : action('git-fork', 'Fork from here', () => fork(project, change))}
      ${action('git-compare', 'Compare with…', () => startComparison(found))}
    </div>
  `;
}

function action(name: IconName, label: string, act: () => unknown): TemplateResult {
  return html`<button type="button" class="icon" aria-label=${label} title=${label} @click=${act}>${icon(name)}</button>`;
}

function fork(from: string, atChange: number): Promise<boolean> {
  return attempt('', async () => {
    const to = await forkProject(from, atChange);
    location.hash = linkTo('records', { project: to });
    notice('good', `This is ${to}, a copy of ${from} as it was after the request.`);
  });
}

/** Lets the user choose the other request in the list. */
export function startComparison({ id }: Pick<Request, 'id'>): void {
  const { screen } = route.get();
  if (screen === 'live') choose({ compare: id });
  else location.hash = linkTo('live', { compare: id });
}
