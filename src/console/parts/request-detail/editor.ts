/** A form to edit a request and send it: method, path, headers and body as text. */
import { html, type TemplateResult } from 'lit';
import { sentHeaders } from '../../data/export-request.ts';
import { readJson } from '../../data/response-body.ts';
import type { Schemas } from '../../data/schemas.ts';
import { sendAndOpen } from './send.ts';

export function renderEditor(found: Schemas['RequestSummary']): TemplateResult {
  const { request } = found;
  const headers = sentHeaders(request)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  const json = readJson(request.body);
  const body = json === undefined ? (request.body ?? '') : JSON.stringify(json, null, 2);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const sentBody = String(form.get('body'));
    const lines = String(form.get('headers'))
      .split('\n')
      .filter((line) => line.includes(':'));
    const headerPairs = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const;
    });
    void sendAndOpen(
      String(form.get('method')),
      String(form.get('url')),
      headerPairs,
      sentBody === '' ? undefined : sentBody,
    );
  };
  return html`
    <form class="card column" @submit=${send}>
      <div class="row">
        <label class="field">Method<input name="method" size="7" .value=${request.method} /></label>
        <label class="field grow">Path<input name="url" .value=${request.url} /></label>
      </div>
      <label class="field">Headers<textarea name="headers" rows="4" .value=${headers}></textarea></label>
      <label class="field">Body<textarea name="body" rows="12" .value=${body}></textarea></label>
      <div><button class="main">Send</button></div>
    </form>
  `;
}
