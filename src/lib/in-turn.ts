/** Combines several functions that end something, such as subscriptions. */

/** Returns a function that calls all of these, as far as they are defined. */
export function inTurn(...ends: readonly ((() => void) | undefined)[]): () => void {
  return () => {
    for (const end of ends) end?.();
  };
}
