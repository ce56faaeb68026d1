/** Controls a project's clock: freezes it, runs it, sets it, advances it, and shows the result. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { advance, setClock, steps } from '../../actions/clock.ts';
import { ApiError, type Schemas } from '../../data/client.ts';
import { type ClockReading, nowOf, runningNow } from '../../data/project-clock.ts';
import { PageElement } from '../../element.ts';
import { onlyProject } from '../../parts/choose-project.ts';
import { everySecond } from '../../parts/every-second.ts';
import { icon } from '../../parts/icon.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { maxDue } from './due.ts';
import type { DueWork, Outage } from './due-work.ts';
import { toDuration } from './duration.ts';
import { clockFace } from './face.ts';
import './scrubber.ts';

interface Message {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

class ClockControls extends PageElement {
  static override properties = {
    project: { attribute: false },
    reading: { attribute: false },
    work: { attribute: false },
    outages: { attribute: false },
    changed: { attribute: false },
    running: { state: true },
    result: { state: true },
  };
  declare project: string;
  declare reading: ClockReading | undefined;
  declare work: readonly DueWork[];
  declare outages: readonly Outage[];
  /** Called after the clock has changed. */
  declare changed: () => void;
  /** Number of running advances. The sandbox runs them one after the other. */
  declare private running: number;
  declare private result: Message | undefined;
  /** Value of the date field, until the user types another one. */
  private proposed = '';
  private isTyped = false;
  /** Latest rate of the clock, also while it is frozen. */
  private latestRate = 1;

  constructor() {
    super();
    this.work = [];
    this.outages = [];
    this.running = 0;
    // Shows the time of a running clock.
    everySecond(this, () => runningNow(this.reading));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('project')) {
      this.result = undefined;
      this.isTyped = false;
      this.latestRate = 1;
    }
    this.latestRate = this.reading?.clock.rate ?? this.latestRate;
    if (!this.isTyped && this.reading) this.proposed = toNextMinute(this.reading.clock.now);
  }

  protected override render(): TemplateResult {
    const { reading } = this;
    const isReal = reading?.clock.mode !== 'frozen';
    return html`
      <div class="row">
        ${reading ? clockFace(reading) : html`<div class="grow">${skeleton(1)}</div>`}
        ${onlyProject() === undefined ? nothing : html`<span class="quiet">only project</span>`}
        <div class="row push clock-steps" role="group" aria-label="Advance">
          <button class=${isReal ? 'main' : ''} title=${isReal ? 'A frozen clock moves only when it is advanced' : 'Time continues from the current value'}
            @click=${() => this.setClock({ mode: isReal ? 'frozen' : 'real' })}>${icon(isReal ? 'snowflake' : 'play')}${isReal ? 'Freeze' : 'Resume'}</button>
          ${steps.map(({ title, words, body }) => html`<button title=${isReal ? 'Freeze the clock to advance it' : words} ?disabled=${isReal} @click=${() => this.advance(body)}>${title}</button>`)}
        </div>
      </div>
      <div class="row clock-forms">
        <form class="row" @submit=${this.advanceBy}>
          <label>Advance by <input name="by" size="7" required placeholder="90s, 10 min" autocomplete="off" ?disabled=${isReal} /></label>
          <button ?disabled=${isReal}>Advance</button>
        </form>
        <form class="row" @submit=${this.setTo}>
          <label>${isReal ? 'Set to' : 'Advance to'} (UTC)
            <input name="to" type="datetime-local" step="1" required .value=${this.proposed} @input=${this.onInput} /></label>
          <button>${isReal ? 'Set' : 'Advance to time'}</button>
        </form>
        <form class="row" @submit=${this.setRate}>
          <label title="1 is real time; 20 is 20 times faster">Rate <input name="rate" type="number" min="0.1" max="1000" step="any" required .value=${String(this.latestRate)} /></label>
          <button>${isReal ? 'Change rate' : 'Run at this rate'}</button>
        </form>
      </div>
      ${this.renderResult()}
      <clock-scrubber .now=${reading ? nowOf(reading) : 0} .work=${this.work} .outages=${this.outages} .isFrozen=${!isReal} .isPartial=${this.work.length >= maxDue}
        .advanceTo=${(to: string) => this.advance({ to })}></clock-scrubber>
    `;
  }

  private renderResult(): TemplateResult {
    const { running, result } = this;
    const note = result ? html`<p class="note ${result.kind}">${result.text}</p>` : nothing;
    return html`<div role="status">${running > 0 ? html`<p class="note">Advancing…</p>` : note}</div>`;
  }

  private onInput(): void {
    this.isTyped = true;
  }

  private setClock(change: Schemas['ClockChange']): Promise<void> {
    return this.run(() => setClock(this.project, change));
  }

  private setRate(event: SubmitEvent): void {
    event.preventDefault();
    const rate = Number(new FormData(event.target as HTMLFormElement).get('rate'));
    void this.setClock({ mode: 'real', rate });
  }

  private async advance(body: Schemas['Advance']): Promise<void> {
    this.running += 1;
    await this.run(() => advance(this.project, body));
    this.running -= 1;
  }

  private advanceBy(event: SubmitEvent): void {
    event.preventDefault();
    const text = String(new FormData(event.target as HTMLFormElement).get('by')).trim();
    const by = toDuration(text);
    const help = 'enter a number with a unit, such as 90s, 10 min or 1.5h';
    if (by === undefined) this.result = { kind: 'bad', text: `"${text}" is not a duration: ${help}.` };
    else void this.advance({ by });
  }

  private setTo(event: SubmitEvent): void {
    event.preventDefault();
    const value = String(new FormData(event.target as HTMLFormElement).get('to'));
    const to = new Date(`${value}Z`).toISOString();
    this.isTyped = false;
    // Setting a frozen clock skips what is due before the new time. Advancing it runs what is due.
    const { mode, rate = 1 } = this.reading?.clock ?? {};
    void (mode === 'frozen' ? this.advance({ to }) : this.setClock({ mode: 'real', now: to, rate }));
  }

  private async run(action: () => Promise<string>): Promise<void> {
    const { project } = this;
    let result: Message;
    try {
      result = { kind: 'good', text: await action() };
    } catch (error) {
      result = { kind: 'bad', text: error instanceof ApiError ? toText(error) : String(error) };
    }
    if (project !== this.project) return;
    this.result = result;
    this.changed();
  }
}

/** Returns the next full minute in the format of the date field. */
function toNextMinute(timestamp: string): string {
  const ms = Math.floor(Date.parse(timestamp) / 60_000) * 60_000 + 60_000;
  return new Date(ms).toISOString().slice(0, 19);
}

function toText({ message, errors }: ApiError): string {
  return errors.length === 0 ? message : errors.map((error) => error.message).join('; ');
}

customElements.define('clock-controls', ClockControls);
