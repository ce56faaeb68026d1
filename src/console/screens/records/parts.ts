/** Related records of a record: the jobs of a route in order, and the trail of a device. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, projectPath } from '../../data/client.ts';
import { route } from '../../data/route.ts';
import { pageSize } from './arrange.ts';
import { collectionOf, type StoredRecord, toTime } from './collections.ts';
import { pager, recordLink } from './table.ts';

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
      <h2 id="jobs">Jobs in order</h2>
      ${
        ids.length === 0
          ? html`<p class="quiet">No jobs.</p>`
          : html`<div class="scroll" tabindex="0" role="region" aria-labelledby="jobs">
              <table>
                <thead><tr><th scope="col">Position</th><th scope="col">Job</th>${shownColumns.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>
                <tbody>${ids.map(row)}</tbody>
              </table>
            </div>`
      }
    </section>
  `;
}

/** Renders the locations of a device, newest event first. */
export function trailTable(points: readonly StoredRecord[]): TemplateResult {
  const newestFirst = points.toReversed();
  const pages = Math.ceil(points.length / pageSize);
  const page = Math.min(pages, Math.max(1, Number(route.get().query['trail']) || 1));
  const positionColumn = collectionOf('locations').columns.find(({ key }) => key === 'geoJson');
  const shown = newestFirst.slice((page - 1) * pageSize, page * pageSize);
  return html`
    <section class="column">
      <div class="row">
        <h2 id="trail">Trail</h2>
        <span class="quiet">${points.length} ${points.length === 1 ? 'location' : 'locations'}</span>
        ${pages > 1 ? pager({ matching: points, page, pages }, 'trail') : nothing}
      </div>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="trail">
        <table>
          <thead><tr><th scope="col">Event time</th><th scope="col">Longitude, latitude</th></tr></thead>
          <tbody>
            ${shown.map((point) => html`<tr><td>${toTime(point['eventDateTime'])}</td><td class="mono">${positionColumn?.text(point)}</td></tr>`)}
          </tbody>
        </table>
      </div>
    </section>
  `;
}
