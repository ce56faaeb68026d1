/** Renders the cases of a cell of the matrix, in a drawer. */
import { html, nothing, type TemplateResult } from 'lit';
import type { MatrixCell } from '../../../../sweep-report/matrix.ts';
import { toRepeatCommand } from '../../../../sweep-report/repeat-command.ts';
import type { SweepCase } from '../../../../sweep-report/report.ts';
import { type Verdict, verdicts } from '../../../../sweep-report/verdicts.ts';
import { copyButton } from '../../../parts/copy-button.ts';
import { command } from './loaded.ts';
import { qualityClasses } from './matrix.ts';

const expectations = { recovery: 'the client recovers', report: 'the client reports the failure' } as const;

/** Renders a verdict with its symbol. */
export function verdictChip(verdict: Verdict): TemplateResult {
  const { quality, symbol } = verdicts[verdict];
  return html`<span class="chip ${qualityClasses[quality]}"><span aria-hidden="true">${symbol}</span> ${verdict}</span>`;
}

export function renderCases({ operation, kind, cases }: MatrixCell, close: () => void): TemplateResult {
  const setCommand = ({ target }: Event): void => command.set((target as HTMLInputElement).value);
  const hasFiles = cases.some(({ scenario }) => scenario !== undefined);
  return html`
    <aside class="drawer" aria-label="Cases">
      <div class="row">
        <h2 tabindex="-1">${operation}: ${kind}</h2>
        <button class="push" @click=${close}>Close</button>
      </div>
      ${
        hasFiles
          ? html`<label class="field"><span>Your command, as in the sweep after <code>--</code></span>
              <input class="mono" placeholder="npm test" .value=${command.get()} @input=${setCommand} /></label>`
          : nothing
      }
      ${cases.map(renderCase)}
    </aside>
  `;
}

function renderCase(one: SweepCase): TemplateResult {
  const repeat =
    one.scenario === undefined ? undefined : toRepeatCommand([one], { command: command.get().trim() || 'COMMAND' });
  return html`
    <section class="card column" aria-label=${one.case}>
      <div class="row"><h3 class="mono">${one.case}</h3>${verdictChip(one.verdict)}</div>
      <p>${one.detail}</p>
      <dl class="facts">
        <dt>Verdict</dt><dd>${verdicts[one.verdict].meaning}</dd>
        <dt>Expected</dt><dd>${expectations[one.expects]}</dd>
        ${one.sameAs === undefined ? nothing : html`<dt>Not run, same as</dt><dd class="mono">${one.sameAs}</dd>`}
        <dt>Exit code</dt><dd>${one.exitCode ?? 'none: the command was ended'}</dd>
        <dt>Requests</dt><dd>${one.requests.toLocaleString('en')}</dd>
        <dt>Duration</dt><dd>${(one.durationMs / 1000).toFixed(1)} s</dd>
        ${fileRows('Scenario', one.scenario)} ${fileRows('Recordings', ...(one.recordings ?? []))}
        ${fileRows('Output', one.output)}
      </dl>
      ${
        repeat === undefined
          ? nothing
          : html`<pre aria-label="Command that repeats the case" tabindex="0">${repeat}</pre>
              <div class="row">${copyButton('Copy command', () => repeat)}</div>`
      }
    </section>
  `;
}

/** Renders the paths of files, or nothing if there are none. */
function fileRows(title: string, ...files: readonly (string | undefined)[]): TemplateResult | typeof nothing {
  const named = files.filter((file) => file !== undefined);
  if (named.length === 0) return nothing;
  return html`<dt>${title}</dt><dd class="mono">${named.map((file) => html`<div>${file}</div>`)}</dd>`;
}
