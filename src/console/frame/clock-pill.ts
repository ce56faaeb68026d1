/** The clock of the chosen project: its time, whether it is frozen, what is due, and a menu that moves it. */
import { html, nothing, type TemplateResult } from 'lit';
import { advance, rates, setClock, steps } from '../actions/clock.ts';
import { toMessage } from '../data/client.ts';
import { projects } from '../data/live.ts';
import { type ClockReading, nowOf, readClock, runningNow } from '../data/project-clock.ts';
import { createResource, isOf, type Resource } from '../data/resource.ts';
import { linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chosenProject } from '../parts/choose-project.ts';
import '../parts/drop-down.ts';
import './clock-menu.css';
import { everySecond } from '../parts/every-second.ts';
import { icon } from '../parts/icon.ts';

class ClockPill extends PageElement {
  static override properties = { result: { state: true } };
  /** What the last action did. */
  declare private result: string;
  private isRunning = false;
  private readonly resource: Resource<ClockReading> = createResource(this, {
    key: chosenProject,
    load: () => readClock(chosenProject() ?? ''),
    reloadOn: (event) => isOf(event, chosenProject()),
  });

  constructor() {
    super();
    this.result = '';
    watch(this, projects, route);
    everySecond(this, () => runningNow(this.resource.value));
  }

  protected override render(): TemplateResult | typeof nothing {
    const project = chosenProject();
    const reading = this.resource.value;
    if (project === undefined || reading === undefined) return nothing;
    const { pending } = reading.clock;
    const isFrozen = reading.clock.mode === 'frozen';
    const time = new Date(nowOf(reading)).toISOString();
    const due = pending === 0 ? 'nothing due' : `${pending.toLocaleString('en')} due`;
    const content = html`
      ${icon(isFrozen ? 'snowflake' : 'clock')}<time datetime=${time}>${time.slice(11, 19)}</time>
      ${pending === 0 ? nothing : html`<span class="count">${pending.toLocaleString('en')} <span class="due">due</span></span>`}
    `;
    return html`
      <drop-down name="clock" label=${`Clock of ${project}: ${describe(reading)}, ${time.slice(11, 19)} ${due}`} look=${`clock ${isFrozen ? 'frozen' : ''}`}
        .content=${content} .panel=${() => this.renderPanel(project, reading, time)} @opened=${() => (this.result = '')}></drop-down>
    `;
  }

  private renderPanel(project: string, reading: ClockReading, time: string): TemplateResult {
    const { mode, rate = 1, pending } = reading.clock;
    const isFrozen = mode === 'frozen';
    const step = (body: (typeof steps)[number]['body']) => () => this.run(() => advance(project, body));
    const why = isFrozen ? nothing : 'Freeze the clock to advance it';
    return html`
      <div class="clock-menu column">
        <div class="row">
          <div>
            <strong class="time">${time.slice(0, 10)} ${time.slice(11, 19)}</strong> <span class="quiet">UTC</span>
            <p class="quiet">${describe(reading)} · ${pending === 0 ? 'nothing due' : `${pending.toLocaleString('en')} due`}</p>
          </div>
          <button class="push" @click=${() => this.run(() => setClock(project, { mode: isFrozen ? 'real' : 'frozen' }))}>
            ${icon(isFrozen ? 'play' : 'snowflake')}${isFrozen ? 'Resume' : 'Freeze'}</button>
        </div>
        <div class="equal" role="group" aria-label="Advance">
          ${steps.map(({ title, words, body }) => html`<button ?disabled=${!isFrozen} title=${isFrozen ? words : why} @click=${step(body)}>${title}</button>`)}
        </div>
        <div class="equal" role="group" aria-label="Rate">
          <span class="quiet">Run at</span>
          ${rates.map((one) => html`<button aria-pressed=${!isFrozen && one === rate} @click=${() => this.run(() => setClock(project, { mode: 'real', rate: one }))}>${one}×</button>`)}
        </div>
        <p role="status" class="quiet" ?hidden=${this.result === ''}>${this.result}</p>
        <a class="item" href=${linkTo('clock', { project })}>${icon('calendar-clock')}Open clock</a>
      </div>
    `;
  }

  /** Buttons stay enabled meanwhile, because a disabled one loses the focus. */
  private async run(action: () => Promise<string>): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    this.result = 'Working…';
    try {
      this.result = await action();
    } catch (error) {
      this.result = toMessage(error);
    }
    this.isRunning = false;
    this.resource.reload();
  }
}

function describe({ clock }: ClockReading): string {
  const { mode, rate = 1 } = clock;
  return mode === 'frozen' ? 'Frozen' : rate === 1 ? 'Running' : `Running at ${rate}×`;
}

customElements.define('clock-pill', ClockPill);
