/** Shows the seed and the other settings of the server, except secrets. */
import { html, nothing, type TemplateResult } from 'lit';
import { ApiError, callApi, type Schemas } from '../../data/client.ts';
import { followProject } from '../../data/project-feed.ts';
import { PageElement } from '../../element.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { jsonView } from '../../parts/json-view.ts';

class ClockSettings extends PageElement {
  static override properties = { settings: { state: true }, errorText: { state: true } };
  declare private settings: Schemas['Settings'] | undefined;
  declare private errorText: string;
  // After a gap the settings are loaded again: the server may have been restarted with others.
  private readonly reloader = followProject(
    this,
    () => ({}),
    () => this.load(),
  );

  constructor() {
    super();
    this.errorText = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.reloader.now();
  }

  private async load(): Promise<void> {
    try {
      this.settings = await callApi<Schemas['Settings']>('GET', '/settings');
      this.errorText = '';
    } catch (error) {
      this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    return html`
      <section class="card column" aria-labelledby="settings">
        <h2 id="settings">Seed and settings</h2>
        ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
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
      <dt>Strict</dt><dd>${strict ? 'on: a warning rejects the request' : 'off'}</dd>
      <dt>Clock of new projects</dt><dd>${clock === 'real' ? 'running' : 'frozen'}</dd>
      <dt>API key</dt><dd>${apiKey === null ? 'set by an option, never shown' : html`<code>${apiKey}</code> (published default)`}</dd>
      <dt>Map</dt><dd>${mapTiles === null ? 'outlines only' : html`tiles from <code>${mapTiles}</code>`}</dd>
    </dl>
    <p class="quiet">The seed determines all generated values: with the same seed, the same requests get the same responses. Set it with <code>--seed</code>.</p>
    <details><summary>Active profile</summary>${jsonView(JSON.stringify(profile))}</details>
  `;
}

customElements.define('clock-settings', ClockSettings);
