/** The time and the state of a project's clock. */
import { html, type TemplateResult } from 'lit';
import { type ClockReading, nowOf } from '../../data/project-clock.ts';
import { instant } from '../../parts/times.ts';

export function clockFace(reading: ClockReading): TemplateResult {
  const { mode, rate = 1 } = reading.clock;
  const now = new Date(nowOf(reading));
  const timestamp = mode === 'real' ? `${now.toISOString().slice(0, 19)}Z` : reading.clock.now;
  return html`
    <div class="row">
      <time class="face" datetime=${timestamp}>${instant(timestamp)}</time>
      <span class="quiet">UTC</span>
      <span class="chip ${mode === 'real' ? 'good' : 'info'}" role="status">${mode === 'frozen' ? 'frozen' : rate === 1 ? 'running' : `running ${rate}×`}</span>
    </div>
  `;
}
