/** Freezes a project's clock, lets it run, sets it, and advances it; says what happened meanwhile. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ask, ofProject, Refusal, type Schemas } from '../data/client.ts';
import type { ToldClock } from '../data/project-clock.ts';
import { PageElement } from '../element.ts';
import { counted } from '../parts/counted.ts';
import { instant } from '../parts/times.ts';

const steps = [
  { by: '1s', text: '1 s' },
  { by: '1m', text: '1 min' },
  { by: '1h', text: '1 h' },
] as const;

interface Said {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

class ClockSteer extends PageElement {
  static override properties = {
    project: { attribute: false },
    told: { attribute: false },
    changed: { attribute: false },
    running: { state: true },
    said: { state: true },
  };
  declare project: string;
  declare told: ToldClock | undefined;
  /** To be called when the clock is another than it was. */
  declare changed: () => void;
  /** Advances under way: one waits for the other. */
  declare private running: number;
  declare private said: Said | undefined;
  /** What stands in the field for an instant, until another is typed in. */
  private proposed = '';
  private isTyped = false;

  constructor() {
    super();
    this.running = 0;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('project')) {
      this.said = undefined;
      this.isTyped = false;
    }
    if (!this.isTyped && this.told) this.proposed = toNextMinute(this.told.clock.now);
  }

  protected override render(): TemplateResult {
    const { told, said, running } = this;
    const isReal = told?.clock.mode !== 'frozen';
    return html`
      <div class="row">
        <button @click=${() => this.put(isReal ? 'frozen' : 'real')}>${isReal ? 'Freeze' : 'Run on'}</button>
        <span class="quiet">${isReal ? 'Frozen, it stands until it is advanced.' : 'It runs on from where it stands.'}</span>
      </div>
      <div class="row" role="group" aria-label="Advance">
        <span>Advance</span>
        ${steps.map(({ by, text }) => html`<button ?disabled=${isReal} @click=${() => this.advance({ by })}>by ${text}</button>`)}
        <button ?disabled=${isReal} @click=${() => this.advance({ until: 'idle' })}>until nothing is pending</button>
        <form class="row" @submit=${this.advanceBy}>
          <label>by <input name="by" size="6" required placeholder="90s, 1.5h" autocomplete="off" ?disabled=${isReal} /></label>
          <button ?disabled=${isReal}>Advance</button>
        </form>
      </div>
      <p class="quiet" ?hidden=${!isReal}>Only a frozen clock is advanced: freeze it first.</p>
      <form class="row" @submit=${this.setTo}>
        <label>${isReal ? 'Set to' : 'Advance to'} (UTC)
          <input name="to" type="datetime-local" step="1" required .value=${this.proposed} @input=${this.typed} /></label>
        <button>${isReal ? 'Set' : 'Go there'}</button>
        <span class="quiet">Time never goes back.</span>
      </form>
      <div role="status">${running > 0 ? html`<p class="note">Advancing…</p>` : said ? html`<p class="note ${said.kind}">${said.text}</p>` : nothing}</div>
    `;
  }

  private typed(): void {
    this.isTyped = true;
  }

  private put(mode: Schemas['ClockMode'], now?: string): Promise<void> {
    return this.act(async () => {
      const clock = await ask<Schemas['Clock']>('PUT', ofProject(this.project, '/clock'), {
        mode,
        ...(now && { now }),
      });
      return `${mode === 'real' ? 'It runs' : 'It stands'}, at ${instant(clock.now)}.`;
    });
  }

  private async advance(how: Schemas['Advance']): Promise<void> {
    this.running += 1;
    await this.act(async () => {
      const result = await ask<Schemas['AdvanceResult']>('POST', ofProject(this.project, '/clock/advance'), how);
      const { now, processed, delivered, pending } = result;
      return `It is ${instant(now)}: ${counted(processed, 'instruction')} carried out, ${counted(delivered, 'callback')} taken, ${pending} still to come.`;
    });
    this.running -= 1;
  }

  private advanceBy(event: SubmitEvent): void {
    event.preventDefault();
    const by = String(new FormData(event.target as HTMLFormElement).get('by')).replaceAll(' ', '');
    void this.advance({ by });
  }

  private setTo(event: SubmitEvent): void {
    event.preventDefault();
    const given = String(new FormData(event.target as HTMLFormElement).get('to'));
    const to = new Date(`${given}Z`).toISOString();
    this.isTyped = false;
    // A frozen clock that is set leaves undone what falls due; one that is advanced does it.
    void (this.told?.clock.mode === 'frozen' ? this.advance({ to }) : this.put('real', to));
  }

  private async act(act: () => Promise<string>): Promise<void> {
    const { project } = this;
    let said: Said;
    try {
      said = { kind: 'good', text: await act() };
    } catch (error) {
      said = { kind: 'bad', text: error instanceof Refusal ? toText(error) : String(error) };
    }
    if (project !== this.project) return;
    this.said = said;
    this.changed();
  }
}

/** The next full minute, as the field has it. */
function toNextMinute(timestamp: string): string {
  const ms = Math.floor(Date.parse(timestamp) / 60_000) * 60_000 + 60_000;
  return new Date(ms).toISOString().slice(0, 19);
}

function toText({ message, errors }: Refusal): string {
  return errors.length === 0 ? message : errors.map((error) => error.message).join('; ');
}

customElements.define('clock-steer', ClockSteer);
