/** The time slider of the map: moves along the trails by mouse, by keyboard, or by itself. */
import { html, type TemplateResult } from 'lit';
import { PageElement } from '../../element.ts';
import { icon } from '../../parts/icon.ts';
import { instant } from '../../parts/times.ts';
import type { Period } from './trail-time.ts';

/** Duration of a whole playback, whatever the period. */
const playbackMs = 20_000;

const dayMs = 86_400_000;

/** Distance of two frames if the user prefers reduced motion. */
const reducedFrameMs = 1000;

/**
 * `<map-time .period=… .time=… .moved=…>`: `time` is undefined for the latest locations. `moved` gets each new time, and
 * whether the user has settled on it.
 */
class MapTime extends PageElement {
  static override properties = {
    period: { attribute: false },
    time: { attribute: false },
    moved: { attribute: false },
    isPlaying: { state: true },
  };
  declare period: Period;
  declare time: number | undefined;
  declare moved: (time: number | undefined, isSettled: boolean) => void;
  declare private isPlaying: boolean;
  private frame = 0;
  private lastFrameAt = 0;

  constructor() {
    super();
    this.isPlaying = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop();
  }

  protected override render(): TemplateResult {
    const { from, to } = this.period;
    const step = stepOf(this.period);
    const value = this.time ?? to;
    const text = instant(new Date(Math.round(value / 1000) * 1000).toISOString());
    const isOneDay = new Date(from).getUTCDate() === new Date(to).getUTCDate() && to - from < dayMs;
    const label = this.isPlaying ? 'Pause' : 'Play the trails';
    const isLatest = this.time === undefined;
    return html`
      <button class="icon" aria-label=${label} title=${label} @click=${this.toggle}>${icon(this.isPlaying ? 'pause' : 'play')}</button>
      <input type="range" class="grow" aria-label="Time of the trails" min=${to - Math.ceil((to - from) / step) * step} max=${to} step=${step}
        .value=${String(value)} aria-valuetext="${text} UTC" @input=${this.slide} @change=${this.settle} />
      <output class="mono"><time datetime=${new Date(value).toISOString()} title=${text}>${isOneDay ? text.slice(11) : text}</time> <span class="quiet">UTC</span></output>
      <button class="icon" aria-label="Latest" title="Latest" ?disabled=${isLatest} @click=${() => this.set(undefined, true)}>${icon('skip-forward')}</button>
    `;
  }

  private slide({ target }: Event): void {
    this.stop();
    if (target instanceof HTMLInputElement) this.set(this.toTime(Number(target.value)), false);
  }

  private settle(): void {
    this.set(this.time, true);
  }

  private toggle(): void {
    if (this.isPlaying) {
      this.stop();
      this.settle();
      return;
    }
    const { from, to } = this.period;
    if ((this.time ?? to) >= to) this.set(from, false);
    this.isPlaying = true;
    this.lastFrameAt = performance.now();
    this.frame = requestAnimationFrame(this.play);
  }

  private readonly play = (now: number): void => {
    this.frame = requestAnimationFrame(this.play);
    const elapsed = now - this.lastFrameAt;
    if (elapsed < (matchMedia('(prefers-reduced-motion: reduce)').matches ? reducedFrameMs : 0)) return;
    this.lastFrameAt = now;
    const { from, to } = this.period;
    const time = this.toTime((this.time ?? from) + ((to - from) * elapsed) / playbackMs);
    if (time === undefined) this.stop();
    this.set(time, time === undefined);
  };

  private stop(): void {
    cancelAnimationFrame(this.frame);
    this.isPlaying = false;
  }

  /** The end of the slider stands for the latest locations, so that it follows new ones. */
  private toTime(value: number): number | undefined {
    return value >= this.period.to ? undefined : value;
  }

  private set(time: number | undefined, isSettled: boolean): void {
    this.time = time;
    this.moved(time, isSettled);
  }
}

/** Returns the step of an arrow key: about a hundredth of the period, at least a second. */
function stepOf({ from, to }: Period): number {
  const steps = [1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400].map((seconds) => seconds * 1000);
  return steps.findLast((step) => step <= (to - from) / 100) ?? 1000;
}

customElements.define('map-time', MapTime);
