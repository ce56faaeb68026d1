/** Renders an element anew with each second of a running clock; never while the page is out of sight. */
import type { PageElement } from '../element.ts';

/** A little behind the second, so that it is over. */
const marginMs = 5;

/** `now`: what the clock shows, in milliseconds; undefined while it stands. */
export function everySecond(host: PageElement, now: () => number | undefined): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  const stop = (): void => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
  const plan = (): void => {
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
  host.addController({ hostUpdated: plan, hostDisconnected: stop });
}
