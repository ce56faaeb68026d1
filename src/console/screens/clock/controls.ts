/** Controls a project's clock: freezes it, runs it, sets it, advances it, and shows the result. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ApiError, callApi, projectPath, type Schemas } from '../../data/client.ts';
import type { ClockReading } from '../../data/project-clock.ts';
import { PageElement } from '../../element.ts';
import { counted } from '../../parts/counted.ts';
import { instant } from '../../parts/times.ts';

const steps = [
  { by: '1s', text: '1 s' },
  { by: '1m', text: '1 min' },
  { by: '1h', text: '1 h' },
] as const;

interface Message {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

class ClockControls extends PageElement {
  static override properties = {
    project: { attribute: false },
    reading: { attribute: false },
    changed: { attribute: false },
    running: { state: true },
    result: { state: true },
  };
  declare project: string;
  declare reading: ClockReading | undefined;
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
    this.running = 0;
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
    const { reading, result, running } = this;
    const isReal = reading?.clock.mode !== 'frozen';
    return html`
      <div class="row">
        <button @click=${() => this.setClock(isReal ? 'frozen' : 'real')}>${isReal ? 'Freeze' : 'Resume'}</button>
        <span class="quiet">${isReal ? 'A frozen clock moves only when it is advanced.' : 'Time continues from the current value.'}</span>
      </div>
      <form class="row" @submit=${this.setRate}>
        <label>Rate <input name="rate" type="number" min="0.1" max="1000" step="any" required .value=${String(this.latestRate)} /></label>
        <button>${isReal ? 'Change rate' : 'Run at this rate'}</button>
        <span class="quiet">1 is real time; 20 is 20 times faster.</span>
      </form>
      <div class="row" role="group" aria-label="Advance">
        <span>Advance</span>
        ${steps.map(({ by, text }) => html`<button ?disabled=${isReal} @click=${() => this.advance({ by })}>by ${text}</button>`)}
        <button ?disabled=${isReal} @click=${() => this.advance({ until: 'idle' })}>until nothing is pending</button>
        <form class="row" @submit=${this.advanceBy}>
          <label>by <input name="by" size="6" required placeholder="90s, 1.5h" autocomplete="off" ?disabled=${isReal} /></label>
          <button ?disabled=${isReal}>Advance</button>
        </form>
      </div>
      <p class="quiet" ?hidden=${!isReal}>Freeze the clock to advance it.</p>
      <form class="row" @submit=${this.setTo}>
        <label>${isReal ? 'Set to' : 'Advance to'} (UTC)
          <input name="to" type="datetime-local" step="1" required .value=${this.proposed} @input=${this.onInput} /></label>
        <button>${isReal ? 'Set' : 'Advance to time'}</button>
        <span class="quiet">The clock only moves forward.</span>
      </form>
      <div role="status">${running > 0 ? html`<p class="note">Advancing…</p>` : result ? html`<p class="note ${result.kind}">${result.text}</p>` : nothing}</div>
    `;
  }

  private onInput(): void {
    this.isTyped = true;
  }

  private setClock(
    mode: Schemas['ClockMode'],
    change: Pick<Schemas['ClockChange'], 'now' | 'rate'> = {},
  ): Promise<void> {
    return this.run(async () => {
      const clock = await callApi<Schemas['Clock']>('PUT', projectPath(this.project, '/clock'), {
        mode,
        ...change,
      });
      const { rate = 1 } = clock;
      return `${mode === 'real' ? 'Running' : 'Frozen'} at ${instant(clock.now)}${rate === 1 ? '' : `, ${rate} times as fast as real time`}.`;
    });
  }

  private setRate(event: SubmitEvent): void {
    event.preventDefault();
    const rate = Number(new FormData(event.target as HTMLFormElement).get('rate'));
    void this.setClock('real', { rate });
  }

  private async advance(body: Schemas['Advance']): Promise<void> {
    this.running += 1;
    await this.run(async () => {
      const result = await callApi<Schemas['AdvanceResult']>('POST', projectPath(this.project, '/clock/advance'), body);
      const { now, processed, delivered, pending } = result;
      return `Advanced to ${instant(now)}: ${counted(processed, 'instruction')} processed, ${counted(delivered, 'callback')} delivered, ${pending} pending.`;
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
    const value = String(new FormData(event.target as HTMLFormElement).get('to'));
    const to = new Date(`${value}Z`).toISOString();
    this.isTyped = false;
    // Setting a frozen clock skips what is due before the new time. Advancing it runs what is due.
    const { mode, rate = 1 } = this.reading?.clock ?? {};
    void (mode === 'frozen' ? this.advance({ to }) : this.setClock('real', { now: to, rate }));
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
