/** Shows how much of its limits a project uses. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { table } from '../../parts/table.ts';

type Usage = Schemas['Usage'];

/** The displayed name of each limit. */
const names: Readonly<Record<keyof Usage, string>> = {
  records: 'Records',
  bytes: 'Memory (estimated)',
  pending: 'Pending work',
  scenarios: 'Scenario rules',
  waiting: 'Waiting requests',
  followers: 'Event streams',
};

const mega = 1024 ** 2;

function toText(name: keyof Usage, value: number): string {
  if (name !== 'bytes') return value.toLocaleString('en');
  return value < mega ? `${(value / 1024).toFixed(0)} kB` : `${(value / mega).toFixed(1)} MB`;
}

export function usageTable({ usage, limits }: Pick<Schemas['ProjectSummary'], 'usage' | 'limits'>): TemplateResult {
  const rows = Object.keys(names) as (keyof Usage)[];
  return html`
    ${table(
      'Table of usage and limits',
      ['Resource', 'Used', 'Limit', 'Share'],
      rows.map((name) => row(name, usage[name], limits[name])),
      'usage',
    )}
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
    <td class="number">${toText(name, used)}</td>
    <td class="number">${limit === undefined ? 'none' : toText(name, limit)}</td>
    <td>${share}</td>
  </tr>`;
}
