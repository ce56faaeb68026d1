/** Keys of rows that have just arrived, for a moment. */

/** How long a row is marked as new. */
const freshMs = 1500;
/** With more new rows than these, marks would only flicker, and animating them takes most of the time of a frame. */
const maxFresh = 8;

export interface FreshKeys {
  readonly keys: () => ReadonlySet<string>;
  readonly add: (keys: readonly string[]) => void;
}

/** `changed` is called when keys are no longer fresh. */
export function createFreshKeys(changed: () => void): FreshKeys {
  let fresh: ReadonlySet<string> = new Set();
  return {
    keys: () => fresh,
    add: (keys) => {
      if (keys.length === 0 || fresh.size + keys.length > maxFresh) return;
      fresh = new Set([...fresh, ...keys]);
      setTimeout(() => {
        const old = new Set(keys);
        fresh = new Set([...fresh].filter((key) => !old.has(key)));
        if (fresh.size === 0) changed();
      }, freshMs);
    },
  };
}
