/** Shows how much of its limits a project uses. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';

type Usage = Schemas['Usage'];

/** The displayed name of each limit. */
const names: Readonly<Record<keyof Usage, string>> = {
  records: 'Records',
  bytes: 'Memory (estimated)',
  pending: 'Pending instructions and callbacks',
  scenarios: 'Rules of the project’s scenarios',
  waiting: 'Waiting requests',
  followers: 'Open event streams',
};

const mega = 1024 ** 2;

function toText(name: keyof Usage, value: number): string {
  if (name !== 'bytes') return value.toLocaleString('en');
  return value < mega ? `${(value / 1024).toFixed(0)} kB` : `${(value / mega).toFixed(1)} MB`;
}

export function usageTable({ usage, limits }: Pick<Schemas['ProjectSummary'], 'usage' | 'limits'>): TemplateResult {
  const rows = Object.keys(names) as (keyof Usage)[];
  return html`
    <div class="scroll usage" tabindex="0" role="region" aria-label="Table of usage and limits">
      <table>
        <thead><tr><th scope="col">Resource</th><th scope="col">Used</th><th scope="col">Limit</th><th scope="col">Share</th></tr></thead>
        <tbody>${rows.map((name) => row(name, usage[name], limits[name]))}</tbody>
      </table>
    </div>
    ${limits.requestsPerSecond === undefined ? nothing : html`<p class="quiet">Maximum: ${limits.requestsPerSecond.toLocaleString('en')} requests per second.</p>`}
  `;
}

function row(name: keyof Usage, used: number, limit: number | undefined): TemplateResult {
  const share =
    limit === undefined
      ? nothing
      : html`<meter min="0" max=${limit} high=${0.8 * limit} value=${used} aria-label=${names[name]}></meter>`;
  return html`<tr>
    <th scope="row">${names[name]}</th>
    <td class="instant">${toText(name, used)}</td>
    <td class="instant">${limit === undefined ? 'none' : toText(name, limit)}</td>
    <td>${share}</td>
  </tr>`;
}
