/** The tab Overview: what the integration has met, what it has not, and what it does not survive, at one glance. */
import { html, type TemplateResult } from 'lit';
import { projects } from '../../../data/live.ts';
import { linkTo, route } from '../../../data/route.ts';
import { PageElement, watch } from '../../../element.ts';
import { empty } from '../../../parts/empty.ts';
import { errorNote } from '../../../parts/notices.ts';
import { skeleton } from '../../../parts/skeleton.ts';
import { createCoverage } from '../coverage/resource.ts';
import { createProblems } from '../problems/resource.ts';
import { loaded, loadedReport } from '../sweep/loaded.ts';
import { renderMet } from './met.ts';
import { renderNotMet } from './not-met.ts';
import { renderNotSurvived } from './not-survived.ts';
import './overview.css';

class QualityOverview extends PageElement {
  private readonly coverage = createCoverage(this);
  private readonly problems = createProblems(this);
  /** Failures that the user has activated here, by project, operation and kind. */
  private readonly activated = new Set<string>();

  constructor() {
    super();
    watch(this, route, projects, loaded);
  }

  private readonly noteActivated = (name: string): void => {
    this.activated.add(name);
    this.requestUpdate();
  };

  protected override render(): TemplateResult {
    const { value: coverage } = this.coverage;
    const { value: groups } = this.problems;
    const report = loadedReport();
    const errors = [...new Set([this.coverage.errorText, this.problems.errorText])].filter((text) => text !== '');
    const isEmpty = coverage?.items.every(({ calls }) => calls === 0) && groups?.length === 0 && !report;
    if (isEmpty) {
      return empty('No requests yet', html`<a class="button" href=${linkTo('connect')}>Connect your client</a>`);
    }
    const wait = errors.length === 0 ? skeleton(8) : '';
    return html`
      ${errors.map(errorNote)}
      <div class="goals">
        ${goal('Met', coverage ? renderMet(coverage) : wait)}
        ${goal('Not met yet', coverage ? renderNotMet(coverage, this.activated, this.noteActivated) : wait)}
        ${goal('Not survived', groups ? renderNotSurvived(groups, report) : wait)}
      </div>
    `;
  }
}

function goal(title: string, content: unknown): TemplateResult {
  return html`<section class="goal" aria-label=${title}><h2>${title}</h2>${content}</section>`;
}

customElements.define('quality-overview', QualityOverview);
