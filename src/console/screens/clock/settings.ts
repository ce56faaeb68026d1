/** Shows the seed and the other settings of the server, except secrets. */
import { html, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { settings } from '../../data/live.ts';
import { copyIcon } from '../../parts/copy-button.ts';
import { jsonView } from '../../parts/json-view.ts';
import { skeleton } from '../../parts/skeleton.ts';

/** The caller must watch the store `settings`. */
export function settingsCard(): TemplateResult {
  const loaded = settings.get();
  return html`
    <section class="card column" aria-labelledby="settings">
      <h2 id="settings">Seed and settings</h2>
      ${loaded ? facts(loaded) : skeleton(6)}
    </section>
  `;
}

function facts({
  version,
  seed,
  strict,
  clock,
  clockRate,
  apiKey,
  mapTiles,
  profile,
}: Schemas['Settings']): TemplateResult {
  return html`
    <dl class="facts">
      <dt>Seed</dt><dd class="row"><code>${seed}</code>${copyIcon('Copy seed', () => seed)}</dd>
      <dt>Version</dt><dd>${version}</dd>
      <dt>Strict</dt><dd>${strict ? 'on: a warning rejects the request' : 'off'}</dd>
      <dt>Clock of new projects</dt><dd>${clock === 'frozen' ? 'frozen' : clockRate === 1 ? 'running' : `running ${clockRate} times as fast as real time`}</dd>
      <dt>API key</dt><dd>${apiKey === null ? 'set by an option, never shown' : html`<code>${apiKey}</code> (published default)`}</dd>
      <dt>Map</dt><dd>${mapTiles === null ? 'outlines only' : html`tiles from <code>${mapTiles}</code>`}</dd>
    </dl>
    <p class="quiet">The seed determines all generated values: with the same seed, the same requests get the same responses. Set it with <code>--seed</code>.</p>
    <details><summary>Active profile</summary>${jsonView(JSON.stringify(profile))}</details>
  `;
}
