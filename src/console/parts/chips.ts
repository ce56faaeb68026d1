/** Renders states as colored chips. */
import { html, type TemplateResult } from 'lit';
import type { Schemas } from '../data/schemas.ts';

/** Renders the status code of a response. It is 0 if no response was sent. */
export function statusChip(status: number): TemplateResult {
  const kind = status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return html`<span class="chip ${kind}">${status === 0 ? 'no response' : status}</span>`;
}

type State = Schemas['Callback']['state'];

const kinds: Readonly<Record<State, string>> = {
  scheduled: 'quiet',
  delivered: 'good',
  failed: 'bad',
  inbox: 'quiet',
  dropped: 'warn',
};

export const states = Object.keys(kinds) as readonly State[];

/** Renders the state of a callback. */
export function stateChip(state: State): TemplateResult {
  return html`<span class="chip ${kinds[state]}">${state}</span>`;
}
