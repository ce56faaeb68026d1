/** What belongs to a record: the jobs of a route in their order, the trail of a device. */
import { html, nothing, type TemplateResult } from 'lit';
import { ask, ofProject } from '../data/client.ts';
import { route } from '../data/route.ts';
import { pageSize } from './records-arrange.ts';
import { collectionOf, type StoredRecord, toTime } from './records-collections.ts';
import { pager, recordLink } from './records-table.ts';

/** Of so many jobs of a route more than the id is asked for. */
const mostJobs = 50;

function idsOf(record: StoredRecord): readonly string[] {
  const { jobs } = record;
  return Array.isArray(jobs) ? jobs.map(String) : [];
}

/** The first jobs of a route, as they are stored now. */
export function loadJobs(project: string, record: StoredRecord): Promise<readonly StoredRecord[]> {
  const load = (id: string): Promise<StoredRecord> =>
    ask<StoredRecord>('GET', ofProject(project, `/jobs/${encodeURIComponent(id)}`)).catch(() => ({ id }));
  return Promise.all(idsOf(record).slice(0, mostJobs).map(load));
}

export function jobsOfRoute(record: StoredRecord, loaded: readonly StoredRecord[]): TemplateResult {
  const jobs = collectionOf('jobs');
  const told = jobs.columns.filter(({ key }) => ['status', 'address', 'deliveryDate'].includes(key));
  const ids = idsOf(record);
  const row = (id: string, index: number): TemplateResult => html`
    <tr><td>${index + 1}</td><th scope="row">${recordLink(jobs, id)}</th>${told.map(({ text }) => html`<td>${text(loaded[index] ?? {})}</td>`)}</tr>
  `;
  return html`
    <section class="column">
      <h2 id="jobs">Its jobs, in order</h2>
      ${
        ids.length === 0
          ? html`<p class="quiet">None was taken.</p>`
          : html`<div class="scroll" tabindex="0" role="region" aria-labelledby="jobs">
              <table>
                <thead><tr><th scope="col">Place</th><th scope="col">Job</th>${told.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>
                <tbody>${ids.map(row)}</tbody>
              </table>
            </div>`
      }
    </section>
  `;
}

/** Where a device has been, the latest event first. */
export function trailTable(points: readonly StoredRecord[]): TemplateResult {
  const newestFirst = points.toReversed();
  const pages = Math.ceil(points.length / pageSize);
  const page = Math.min(pages, Math.max(1, Number(route.get().query['trail']) || 1));
  const told = collectionOf('locations').columns.find(({ key }) => key === 'geoJson');
  const shown = newestFirst.slice((page - 1) * pageSize, page * pageSize);
  return html`
    <section class="column">
      <div class="row">
        <h2 id="trail">Trail</h2>
        <span class="quiet">${points.length} ${points.length === 1 ? 'location' : 'locations'}</span>
        ${pages > 1 ? pager({ fitting: points, page, pages }, 'trail') : nothing}
      </div>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="trail">
        <table>
          <thead><tr><th scope="col">Was there</th><th scope="col">Longitude, latitude</th></tr></thead>
          <tbody>
            ${shown.map((point) => html`<tr><td>${toTime(point['eventDateTime'])}</td><td class="mono">${told?.text(point)}</td></tr>`)}
          </tbody>
        </table>
      </div>
    </section>
  `;
}
