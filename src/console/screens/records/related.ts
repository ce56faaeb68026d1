/** Related records of a record: the jobs of a route in order, and the trail of a device. */
import { html, type TemplateResult } from 'lit';
import { callApi, projectPath } from '../../data/client.ts';
import { counted } from '../../parts/counted.ts';
import { paged } from '../../parts/pager.ts';
import { table } from '../../parts/table.ts';
import { collectionOf, type StoredRecord, toTime } from './collections.ts';
import { recordLink } from './table.ts';

/** Maximum number of jobs that are loaded per route. For the rest only the id is shown. */
const maxJobs = 50;

function idsOf(record: StoredRecord): readonly string[] {
  const { jobs } = record;
  return Array.isArray(jobs) ? jobs.map(String) : [];
}

/** Loads the first jobs of a route. */
export function loadJobs(project: string, record: StoredRecord): Promise<readonly StoredRecord[]> {
  const load = (id: string): Promise<StoredRecord> =>
    callApi<StoredRecord>('GET', projectPath(project, `/jobs/${encodeURIComponent(id)}`)).catch(() => ({ id }));
  return Promise.all(idsOf(record).slice(0, maxJobs).map(load));
}

export function jobsOfRoute(record: StoredRecord, loaded: readonly StoredRecord[]): TemplateResult {
  const jobs = collectionOf('jobs');
  const shownColumns = jobs.columns.filter(({ key }) => ['status', 'address', 'deliveryDate'].includes(key));
  const ids = idsOf(record);
  const row = (id: string, index: number): TemplateResult => html`
    <tr><td>${index + 1}</td><th scope="row">${recordLink(jobs, id)}</th>${shownColumns.map(({ text }) => html`<td>${text(loaded[index] ?? {})}</td>`)}</tr>
  `;
  return html`
    <section class="column">
      <h2>Jobs in order</h2>
      ${
        ids.length === 0
          ? html`<p class="quiet">No jobs.</p>`
          : table('Jobs in order', ['Position', 'Job', ...shownColumns.map(({ title }) => title)], ids.map(row))
      }
    </section>
  `;
}

/** Renders the locations of a device, newest event first. */
export function trailTable(points: readonly StoredRecord[]): TemplateResult {
  const { shown, pager } = paged(points.toReversed(), 50, 'trail');
  const positionColumn = collectionOf('locations').columns.find(({ key }) => key === 'geoJson');
  const rows = shown.map(
    (point) =>
      html`<tr><td>${toTime(point['eventDateTime'])}</td><td class="mono">${positionColumn?.text(point)}</td></tr>`,
  );
  return html`
    <section class="column">
      <div class="row">
        <h2>Trail</h2>
        <span class="quiet">${counted(points.length, 'location')}</span>
        ${pager}
      </div>
      ${table('Trail', ['Event time', 'Latitude, longitude'], rows)}
    </section>
  `;
}
