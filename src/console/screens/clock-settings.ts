/** What the server was started with: its seed, and all else that is no secret. */
import { html, nothing, type TemplateResult } from 'lit';
import { ask, Refusal, type Schemas } from '../data/client.ts';
import { followProject } from '../data/project-feed.ts';
import { PageElement } from '../element.ts';
import { copyButton } from '../parts/copy-button.ts';
import { jsonView } from '../parts/json-view.ts';

class ClockSettings extends PageElement {
  static override properties = { settings: { state: true }, why: { state: true } };
  declare private settings: Schemas['Settings'] | undefined;
  declare private why: string;
  // After a gap it may be another server.
  private readonly fresh = followProject(
    this,
    () => ({}),
    () => this.load(),
  );

  constructor() {
    super();
    this.why = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.fresh.now();
  }

  private async load(): Promise<void> {
    try {
      this.settings = await ask<Schemas['Settings']>('GET', '/settings');
      this.why = '';
    } catch (error) {
      this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    return html`
      <section class="card column" aria-labelledby="settings">
        <h2 id="settings">Seed and settings</h2>
        ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
        ${this.settings ? facts(this.settings) : nothing}
      </section>
    `;
  }
}

function facts({ version, seed, strict, clock, apiKey, mapTiles, profile }: Schemas['Settings']): TemplateResult {
  return html`
    <dl class="facts">
      <dt>Seed</dt><dd class="row"><code>${seed}</code>${copyButton('Copy', () => seed)}</dd>
      <dt>Version</dt><dd>${version}</dd>
      <dt>Strict</dt><dd>${strict ? 'on: what only deserves a warning is refused' : 'off'}</dd>
      <dt>Clock</dt><dd>that of a new project ${clock === 'real' ? 'runs' : 'is frozen'}</dd>
      <dt>API key</dt><dd>${apiKey === null ? 'others than the published one, not shown' : html`<code>${apiKey}</code>, published`}</dd>
      <dt>Map</dt><dd>${mapTiles === null ? 'outlines alone' : html`tiles of <code>${mapTiles}</code>`}</dd>
    </dl>
    <p class="quiet">The seed decides all generated values: with the same one, the same requests have the same answers. It is set at the start, by <code>--seed</code>.</p>
    <details><summary>Profile in force</summary>${jsonView(JSON.stringify(profile))}</details>
  `;
}

customElements.define('clock-settings', ClockSettings);
