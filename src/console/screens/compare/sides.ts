/** Converts requests and callbacks to the sides of a comparison. */
import { html } from 'lit';
import { callApi, projectPath } from '../../data/client.ts';
import { loadCallback } from '../../data/request-details.ts';
import { linkTo } from '../../data/route.ts';
import type { Schemas } from '../../data/schemas.ts';
import { stateChip, statusChip } from '../../parts/chips.ts';
import { instant } from '../../parts/times.ts';
import type { Facts, Side } from './side-by-side.ts';

export type Kind = 'requests' | 'callbacks';

export interface Suggestion {
  readonly id: string;
  readonly label: string;
}

export async function loadSide(kind: Kind, project: string | undefined, id: string): Promise<Side> {
  if (kind === 'callbacks') return toCallbackSide(project ?? '', await loadCallback(project ?? '', id));
  return toRequestSide(await callApi<Schemas['RequestSummary']>('GET', `/requests/${encodeURIComponent(id)}`));
}

/** Lists the latest requests or callbacks, to choose from. */
export async function loadSuggestions(kind: Kind, project: string | undefined): Promise<readonly Suggestion[]> {
  const path = project === undefined ? '/requests' : projectPath(project, `/${kind}`);
  const page = await callApi<{ items: readonly Listed[] }>('GET', `${path}?view=rows&order=newest&limit=100`);
  return page.items.map(({ id, at, operation, path: requested, status, type, state }) => ({
    id,
    label: [operation ?? requested ?? type, status ?? state, at && instant(at)].filter(Boolean).join(' · '),
  }));
}

/** What rows of requests and callbacks have, as far as a label needs it. */
interface Listed {
  readonly id: string;
  readonly at?: string;
  readonly operation?: string | null;
  readonly path?: string;
  readonly status?: number;
  readonly type?: string;
  readonly state?: string;
}

function toRequestSide(found: Schemas['RequestSummary']): Side {
  const { id, project, operation, method, at, status, durationMs, warnings, request, response, fault } = found;
  const fired = found.rules.filter((rule) => rule.fired).map(({ scenario, rule }) => `${scenario}: ${rule}`);
  const facts: Facts = [
    ['Operation', operation ?? 'none'],
    ['URL', `${method} ${request.url}`],
    ['Project', project ?? 'none'],
    ['Status', status === 0 ? 'no response' : String(status)],
    ['Time', instant(at)],
    ['Duration', `${durationMs} ms`],
    ...(fault ? ([['Connection', fault]] as const) : []),
    ['Scenarios', fired.join(', ') || 'none'],
    ['Warnings', warnings.join('\n') || 'none'],
  ];
  const link = linkTo('live', { project: project ?? '', request: id });
  return {
    project: project ?? '',
    title: html`<a class="mono" href=${link}>${id}</a> ${statusChip(status)}`,
    sections: [
      { title: 'Overview', facts },
      { title: 'Request body', text: request.body ?? '' },
      { title: 'Response body', text: response.body ?? '' },
      { title: 'Request headers', facts: toFacts(request.headers) },
      { title: 'Response headers', facts: toFacts(response.headers) },
    ],
  };
}

function toCallbackSide(
  project: string,
  { id, type, state, requestId, dueAt, body, attempts }: Schemas['Callback'],
): Side {
  const last = attempts.at(-1);
  const facts: Facts = [
    ['Type', type],
    ['State', state],
    ['Request', requestId],
    ['Due', instant(dueAt)],
    ['Attempts', String(attempts.length)],
  ];
  const tried = attempts.map(
    ({ at, status, error }, index) =>
      [`Attempt ${index + 1}`, `${status ?? error ?? 'inbox'}, ${instant(at)}`] as const,
  );
  return {
    project,
    title: html`<a class="mono" href=${linkTo('callbacks', { project, callback: id })}>${id}</a> ${stateChip(state)}`,
    sections: [
      { title: 'Overview', facts },
      { title: 'Body', text: last?.sent ?? JSON.stringify(body) },
      { title: 'Attempts', facts: tried },
      { title: 'Headers of the last attempt', facts: toFacts(last?.headers ?? {}) },
    ],
  };
}

function toFacts(headers: Readonly<Record<string, string>>): Facts {
  return Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1));
}
