/** Renders the state of a callback as a colored chip. */
import { html, type TemplateResult } from 'lit';
import type { Schemas } from '../data/schemas.ts';

type State = Schemas['Callback']['state'];

const kinds: Readonly<Record<State, string>> = {
  scheduled: 'quiet',
  delivered: 'good',
  failed: 'bad',
  inbox: 'quiet',
  dropped: 'warn',
};

export const states = Object.keys(kinds) as readonly State[];

export function stateChip(state: State): TemplateResult {
  return html`<span class="chip ${kinds[state]}">${state}</span>`;
}
