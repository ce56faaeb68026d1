/** Renders an element again at each second of a real clock, except while the page is hidden. */
import type { PageElement } from '../element.ts';

/** Delay after the full second, so that the second has passed when the element renders. */
const marginMs = 5;

/** `now` returns the time of the clock in milliseconds, or undefined if the clock is frozen. */
export function everySecond(host: PageElement, now: () => number | undefined): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  const stop = (): void => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
  const schedule = (): void => {
    stop();
    const at = now();
    if (at === undefined || !host.isConnected) return;
    timer = setTimeout(
      () => {
        frame = requestAnimationFrame(() => host.requestUpdate());
      },
      1000 - (at % 1000) + marginMs,
    );
  };
  host.addController({ hostUpdated: schedule, hostDisconnected: stop });
}
