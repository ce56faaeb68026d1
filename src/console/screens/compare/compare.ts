/** The comparison of two requests, two callbacks or two recordings, with their differences marked. */
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { createResource } from '../../data/resource.ts';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { copyLink } from '../../frame/copy-link.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { empty } from '../../parts/empty.ts';
import { icon } from '../../parts/icon.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { tabbed } from '../../parts/tabs.ts';
import './compare.css';
import './recordings.ts';
import { type Side, sideBySide } from './side-by-side.ts';
import { type Kind, loadSide, loadSuggestions, type Suggestion } from './sides.ts';

const tabs = [
  { name: 'requests', title: 'Requests' },
  { name: 'callbacks', title: 'Callbacks' },
  { name: 'recordings', title: 'Recordings' },
] as const;

class CompareScreen extends PageElement {
  private readonly sides = createResource<readonly [Side, Side]>(this, {
    key: () => {
      const { what, a, b } = chosen();
      return what === 'recordings' || a === '' || b === ''
        ? undefined
        : [what, what === 'callbacks' ? chosenProject() : '', a, b].join(' ');
    },
    load: () => {
      const { what, a, b } = chosen();
      const load = (id: string): Promise<Side> => loadSide(toKind(what), chosenProject(), id);
      return Promise.all([load(a), load(b)]);
    },
    onLoad: ([{ project }, other]) => {
      if (project !== '' && project === other.project) choose({ project }, true);
    },
  });
  private readonly suggestions = createResource<readonly Suggestion[]>(this, {
    key: () => (chosen().what === 'recordings' ? undefined : `${chosen().what} ${chosenProject()}`),
    load: () => loadSuggestions(toKind(chosen().what), chosenProject()),
  });

  constructor() {
    super();
    watch(this, route);
  }

  protected override render(): TemplateResult {
    const { what } = chosen();
    return html`
      <div class="row">
        <h1 tabindex="-1">Compare</h1>
        <button type="button" class="compact push" title="Copy link" @click=${copyLink}>${icon('link')}Copy link</button>
      </div>
      ${tabbed(
        { label: 'What to compare', tabs, chosen: what, choose: (name) => choose({ what: name, a: '', b: '' }) },
        what === 'recordings' ? html`<compare-recordings></compare-recordings>` : this.renderPair(toKind(what)),
      )}
    `;
  }

  private renderPair(kind: Kind): TemplateResult {
    if (kind === 'callbacks' && chosenProject() === undefined) return chooseProject('callbacks');
    const { value, errorText } = this.sides;
    const { a, b } = chosen();
    const isChosen = a !== '' && b !== '';
    return html`
      ${this.renderFields(kind)}
      ${errorNote(errorText)}
      ${isChosen ? nothing : empty(`Enter the ids of two ${kind}, or choose them from the lists`)}
      ${isChosen && errorText === '' ? (value ? guard([value], () => sideBySide(...value)) : skeleton(8)) : nothing}
    `;
  }

  private renderFields(kind: Kind): TemplateResult {
    const { a, b } = chosen();
    const noun = kind === 'requests' ? 'Request' : 'Callback';
    const field = (name: 'a' | 'b', value: string): TemplateResult => html`
      <label class="field">${noun} ${name.toUpperCase()}
        <input class="mono" name=${name} list="compared" autocomplete="off" spellcheck="false" .value=${value}
          @change=${({ target }: Event) => choose({ [name]: (target as HTMLInputElement).value.trim() })} />
      </label>
    `;
    return html`
      <form class="pair fields" @submit=${(event: Event) => event.preventDefault()}>
        ${field('a', a)}
        <button type="button" class="icon" title="Exchange A and B" aria-label="Exchange A and B"
          ?disabled=${a === '' && b === ''} @click=${() => choose({ a: b, b: a })}>${icon('arrow-up-down')}</button>
        ${field('b', b)}
      </form>
      <datalist id="compared">${this.suggestions.value?.map(({ id, label }) => html`<option value=${id}>${label}</option>`)}</datalist>
    `;
  }
}

function chosen(): { readonly what: string; readonly a: string; readonly b: string } {
  const { what = '', a = '', b = '' } = route.get().query;
  return { what: tabs.some(({ name }) => name === what) ? what : 'requests', a, b };
}

function toKind(what: string): Kind {
  return what === 'callbacks' ? 'callbacks' : 'requests';
}

customElements.define('compare-screen', CompareScreen);
