/** The comparison of two recordings: of projects, or of files. */
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { callApi, projectPath, toMessage } from '../../data/client.ts';
import { projects } from '../../data/live.ts';
import { createResource } from '../../data/resource.ts';
import { readJson } from '../../data/response-body.ts';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { counted } from '../../parts/counted.ts';
import { icon } from '../../parts/icon.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { type ChangePair, pairChanges, type Recording } from './pair-changes.ts';
import { renderTexts } from './side-by-side.ts';

type SideName = 'a' | 'b';

/** Maximum number of pairs that are shown. */
const maxPairs = 1000;

interface RecordingFile {
  readonly name: string;
  readonly recording: Recording;
  /** Distinguishes it from other files and projects of this name. */
  readonly number: number;
}

class CompareRecordings extends PageElement {
  static override properties = { files: { state: true }, mistake: { state: true }, showsAll: { state: true } };
  /** Recordings of files. They are not in the link. */
  declare private files: Readonly<Partial<Record<SideName, RecordingFile>>>;
  declare private mistake: string;
  declare private showsAll: boolean;
  /** Number of files that were read. */
  private readFiles = 0;
  private readonly resource = createResource<readonly [Recording, Recording]>(this, {
    key: () => {
      const names = [this.nameOf('a'), this.nameOf('b')];
      return names.includes('') ? undefined : JSON.stringify([names, this.files.a?.number, this.files.b?.number]);
    },
    load: () => Promise.all([this.loadSide('a'), this.loadSide('b')]),
  });

  constructor() {
    super();
    this.files = {};
    this.mistake = '';
    this.showsAll = false;
    watch(this, route, projects);
  }

  private nameOf(side: SideName): string {
    return this.files[side]?.name ?? route.get().query[side] ?? '';
  }

  private loadSide(side: SideName): Promise<Recording> | Recording {
    return this.files[side]?.recording ?? callApi('GET', projectPath(this.nameOf(side), '/recording'));
  }

  private async readFile(side: SideName, input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    if (!file) return;
    // The same file can be chosen again after it has changed.
    input.value = '';
    const read = toRecording(await file.text().catch(toMessage));
    this.mistake = read ? '' : `${file.name} is not a recording: expected a file of field-sandbox, with "changes".`;
    if (!read) return;
    this.readFiles += 1;
    this.files = { ...this.files, [side]: { name: file.name, recording: read, number: this.readFiles } };
  }

  protected override render(): TemplateResult {
    const { value, errorText } = this.resource;
    const isChosen = this.nameOf('a') !== '' && this.nameOf('b') !== '';
    return html`
      <div class="pair choices">${this.renderChoice('a')}${this.renderChoice('b')}</div>
      ${errorNote(this.mistake || errorText)}
      ${isChosen ? nothing : html`<p class="quiet">Choose two projects or two files that <code>field-sandbox recordings</code> has stored.</p>`}
      ${isChosen && errorText === '' ? (value ? guard([value, this.showsAll], () => this.renderPairs(value)) : skeleton(8)) : nothing}
    `;
  }

  private renderChoice(side: SideName): TemplateResult {
    const file = this.files[side];
    const title = `Recording ${side.toUpperCase()}`;
    const choosesProject = ({ target }: Event): void => {
      const { [side]: _dropped, ...others } = this.files;
      this.files = others;
      choose({ [side]: (target as HTMLSelectElement).value });
    };
    return html`
      <fieldset class="row">
        <legend>${title}</legend>
        <label class="grow">Project
          <select class="grow" @change=${choosesProject}>
            <option value="" ?selected=${this.nameOf(side) === '' || file !== undefined}>${file ? '' : 'Choose a project'}</option>
            ${projects.get().map(({ id }) => html`<option value=${id} ?selected=${!file && id === this.nameOf(side)}>${id}</option>`)}
          </select>
        </label>
        <label class="button">${icon('upload')}${file?.name ?? 'or a file'}
          <input class="unseen" type="file" accept=".json,application/json" aria-label=${`File of recording ${side.toUpperCase()}`}
            @change=${({ target }: Event) => this.readFile(side, target as HTMLInputElement)} />
        </label>
      </fieldset>
    `;
  }

  private renderPairs([a, b]: readonly [Recording, Recording]): TemplateResult {
    const pairs = pairChanges(a, b);
    if (!pairs) return html`<p class="note warn">These recordings are too different to compare them.</p>`;
    const different = pairs.filter(({ kind }) => kind !== 'equal');
    const shown = (this.showsAll ? pairs : different).slice(0, maxPairs);
    const total = this.showsAll ? pairs.length : different.length;
    return html`
      <div class="row">
        <h2>Changes</h2>
        <span class="chip ${different.length === 0 ? 'good' : 'warn'}">${different.length === 0 ? 'equal' : counted(different.length, 'difference')}</span>
        <span class="quiet">of ${counted(pairs.length, 'change')}, without ids of requests and times</span>
        <label class="push"><input type="checkbox" .checked=${this.showsAll} @change=${() => (this.showsAll = !this.showsAll)} /> Show equal ones</label>
      </div>
      <div class="pairs">${shown.map(renderPair)}</div>
      ${total > maxPairs ? html`<p class="note warn">Only the first ${maxPairs.toLocaleString('en')} of ${total.toLocaleString('en')} are shown.</p>` : nothing}
    `;
  }
}

function toRecording(text: string): Recording | undefined {
  const value = readJson(text) as Partial<Recording> | null | undefined;
  return Array.isArray(value?.changes) && typeof value.project === 'string' ? (value as Recording) : undefined;
}

const labels: Readonly<Record<ChangePair['kind'], readonly [tone: string, label: string]>> = {
  equal: ['good', 'equal'],
  different: ['warn', 'different'],
  'only-a': ['bad', 'only in A'],
  'only-b': ['info', 'only in B'],
};

function renderPair({ kind, a, b }: ChangePair): TemplateResult {
  const [tone, label] = labels[kind];
  const results = [a?.result, b?.result].filter((result) => result !== undefined && result !== '');
  const result = new Set(results).size > 1 ? results.join(' → ') : (results[0] ?? '');
  const names = Object.keys(a?.content ?? b?.content ?? {});
  return html`
    <details class="card">
      <summary>
        <span class="mono quiet">${a?.number ?? '–'} / ${b?.number ?? '–'}</span>
        <span class="mono grow">${a?.title ?? b?.title}</span>
        <span class="mono">${result}</span>
        <span class="chip ${tone}">${label}</span>
      </summary>
      <div class="column">${names.map((name) => renderTexts(name, a?.content[name] ?? '', b?.content[name] ?? ''))}</div>
    </details>
  `;
}

customElements.define('compare-recordings', CompareRecordings);
