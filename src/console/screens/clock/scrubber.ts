/** The axis of the due work: shows what runs when, and advances a frozen clock to the time that the user picks. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { PageElement } from '../../element.ts';
import './axis.css';
import { confirmed } from '../../parts/confirm.ts';
import { span } from '../../parts/times.ts';
import {
  countWork,
  type DueWork,
  type Mark,
  type Outage,
  type Period,
  periodFor,
  periods,
  ticksOf,
  toMarks,
  workKinds,
} from './due-work.ts';

import { left, markTooltip, nameOf, outageBar, timeText } from './mark-text.ts';

const laneNames = { command: 'Commands', callback: 'Callbacks', retry: 'Retries' } as const;

/**
 * `<clock-scrubber .now=… .work=… .isFrozen=… .isPartial=… .advanceTo=…>`: `isPartial` if there is more work than
 * `work`; `outages` are the time spans of scenario rules; `advanceTo` gets the time that the user confirmed.
 */
class ClockScrubber extends PageElement {
  static override properties = {
    now: { attribute: false },
    work: { attribute: false },
    outages: { attribute: false },
    isFrozen: { attribute: false },
    isPartial: { attribute: false },
    advanceTo: { attribute: false },
    zoom: { state: true },
    target: { state: true },
    pointed: { state: true },
  };
  declare now: number;
  declare work: readonly DueWork[];
  declare outages: readonly Outage[];
  declare isFrozen: boolean;
  declare isPartial: boolean;
  declare advanceTo: (timestamp: string) => void;
  /** The period that the user chose, or undefined to show all due work. */
  declare private zoom: Period | undefined;
  /** Time after `now` that the user picked, in milliseconds. */
  declare private target: number;
  /** The mark under the pointer, or with the focus. */
  declare private pointed: Mark | undefined;

  constructor() {
    super();
    this.work = [];
    this.outages = [];
    this.target = 0;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('work')) this.pointed = undefined;
    if (!this.isFrozen || changed.has('now')) this.target = 0;
  }

  private get period(): Period {
    const { work, outages, now } = this;
    const ends = outages.flatMap(({ from, to = from }) => [from, to]).filter((at) => at > now);
    return this.zoom ?? periodFor([...work.map(({ at }) => at), ...ends], now);
  }

  protected override render(): TemplateResult {
    const { period, work, now, isFrozen } = this;
    const outages = this.outages.filter(({ to }) => to === undefined || to > now);
    const marks = toMarks(work, now, period.ms);
    const beyond = work.filter(({ at }) => at > now + period.ms);
    return html`
      <div class="row">
        <h2 id="scrubber">Due work</h2>
        <span class="quiet">${countWork(work)}${this.isPartial ? ' and more' : ''}${beyond.length === 0 ? nothing : `; ${beyond.length} later than ${period.name}`}</span>
        <div class="row push zoom" role="group" aria-label="Period">
          ${periods.map((one) => html`<button aria-pressed=${one === period} @click=${() => this.show(one)}>${one.name}</button>`)}
        </div>
      </div>
      <div class="axis ${isFrozen ? 'frozen' : ''}">
        <div class="lane-names quiet" aria-hidden="true">${workKinds.map((kind) => html`<span>${laneNames[kind]}</span>`)}${outages.length === 0 ? nothing : html`<span>Outages</span>`}</div>
        <div class="track" role="group" aria-label="Axis" @pointerdown=${this.startDrag}>
          ${ticksOf(period).map(({ share }) => html`<i class="tick" .style=${left(share)}></i>`)}
          <i class="now-line"></i>
          ${workKinds.map(
            (kind) => html`
              <div class="lane" role="group" aria-label=${laneNames[kind]}>
                ${marks.filter((mark) => mark.kind === kind).map((mark) => this.renderMark(mark))}
              </div>
            `,
          )}
          ${outages.length === 0 ? nothing : html`<div class="lane" role="group" aria-label="Outages">${outages.map((outage) => outageBar(outage, now, period.ms))}</div>`}
          ${this.target > 0 ? html`<i class="target-line" .style=${left(this.target / period.ms)}></i>` : nothing}
          ${this.pointed ? markTooltip(this.pointed, this.now) : nothing}
        </div>
        <div class="ticks" aria-hidden="true"><span>now</span>${ticksOf(period).map(({ share, text }) => html`<span .style=${left(share)}>${text}</span>`)}</div>
        ${isFrozen ? this.renderTarget(period) : html`<p class="quiet">Freeze the clock to advance it along this axis.</p>`}
      </div>
    `;
  }

  private renderMark(mark: Mark): TemplateResult {
    const { work, kind, share } = mark;
    const show = (): void => {
      this.pointed = mark;
    };
    const hide = (): void => {
      this.pointed = undefined;
    };
    return html`
      <button class="mark ${kind}" .style=${left(share)} aria-label=${nameOf(mark, this.now)} aria-disabled=${!this.isFrozen}
        @mouseenter=${show} @mouseleave=${hide} @focus=${show} @blur=${hide} @click=${() => this.ask(mark.at - this.now)}>${work.length > 1 ? work.length : nothing}</button>
    `;
  }

  private renderTarget({ ms, tickMs }: Period): TemplateResult {
    const { target, now } = this;
    const runs = this.runsUntil(target);
    return html`
      <input type="range" aria-label="Advance to" min="0" max=${ms} step=${tickMs / 10} .value=${String(target)}
        aria-valuetext=${target === 0 ? 'now' : `in ${span(target)}: runs ${countWork(runs)}`} @input=${this.slide}
        @keydown=${this.confirmByKey} />
      <div class="row">
        <button ?disabled=${target === 0} @click=${() => this.ask(this.target)}>${target === 0 ? 'Advance to…' : `Advance to ${timeText(now + target)}…`}</button>
        <span class="quiet">${target === 0 ? 'Drag along the axis, or select a mark.' : `+${span(target)}: runs ${countWork(runs)}`}</span>
      </div>
    `;
  }

  private show(period: Period): void {
    this.zoom = period;
    this.target = Math.min(this.target, period.ms);
  }

  private slide({ target }: Event): void {
    if (target instanceof HTMLInputElement) this.target = Number(target.value);
  }

  private confirmByKey(event: KeyboardEvent): void {
    if (event.key !== 'Enter') return;
    // Otherwise the same key would press the dialog's button that gets the focus.
    event.preventDefault();
    void this.ask(this.target);
  }

  private startDrag(event: PointerEvent): void {
    const track = event.currentTarget;
    const isOther = event.target instanceof Element && event.target.closest('.mark, .outage') !== null;
    if (!this.isFrozen || isOther || event.button !== 0 || !(track instanceof HTMLElement)) return;
    const { left: start, width } = track.getBoundingClientRect();
    const step = this.period.tickMs / 10;
    const pick = ({ clientX }: PointerEvent): void => {
      const share = Math.max(0, Math.min(1, (clientX - start) / width));
      this.target = Math.round((share * this.period.ms) / step) * step;
    };
    track.setPointerCapture(event.pointerId);
    pick(event);
    track.onpointermove = pick;
    track.onpointerup = () => {
      track.onpointermove = null;
      track.onpointerup = null;
      void this.ask(this.target);
    };
    event.preventDefault();
  }

  /** Asks before the clock advances, since it never moves back. */
  private async ask(after: number): Promise<void> {
    if (!this.isFrozen || after < 0) return;
    const to = this.now + after;
    const runs = this.runsUntil(after);
    this.target = after;
    const more = this.isPartial ? ' at least' : '';
    const isSure = await confirmed({
      title: `Advance to ${timeText(to)}?`,
      text: `Advances the clock by ${after === 0 ? 'nothing' : span(after)} and runs${more} ${countWork(runs)}${runs.length === 0 ? '' : ', and the callbacks that follow from that until then'}. The clock only moves forward.`,
      action: 'Advance',
    });
    if (isSure) this.advanceTo(new Date(to).toISOString());
    else this.target = 0;
  }

  private runsUntil(after: number): readonly DueWork[] {
    return this.work.filter(({ at }) => at <= this.now + after);
  }
}

customElements.define('clock-scrubber', ClockScrubber);
